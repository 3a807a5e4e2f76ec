import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../src/contract/environment.ts";
import { ToolError } from "../../src/contract/error.ts";
import type { Processes, ProcessStatus } from "../../src/contract/process.ts";
import { openLocalEnvironment } from "../../src/environment/local/local-environment.ts";
import { RedactedStream } from "../../src/policy/redaction/redact.ts";
import { type BackgroundProcesses, openProcesses } from "../../src/processes/open-processes.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A workspace on the real disk with processes, without a sandbox. */
export interface ProcessFixture extends AsyncDisposable {
  readonly workspace: string;
  readonly environment: Environment;
  readonly table: BackgroundProcesses;
  readonly processes: Processes;
  readonly signal: AbortSignal;
}

/** `await using` ends the processes and removes the workspace. */
export function processFixture(): ProcessFixture {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  mkdirSync(workspace);
  const environment = openLocalEnvironment({ workspace, graceMs: 100 });
  const fixture = openProcesses({ redactor: () => new RedactedStream() });
  return {
    workspace,
    environment,
    table: fixture,
    processes: fixture.forCall({ environment }),
    signal: new AbortController().signal,
    [Symbol.asyncDispose]: async () => {
      await fixture.close();
      await environment.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The fields that are the same in each run. */
export function steady(status: ProcessStatus): Partial<ProcessStatus> {
  const { pid, startedAt, durationMs, quietMs, waitsForInput, ...same } = status;
  return same;
}

/** The error as its caller sees it. */
export async function refusalOf(work: Promise<unknown>): Promise<Partial<ToolError>> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const { code, message, hint, output } = error;
    return { code, message, hint, output };
  }
  throw new Error("It did not fail");
}
