import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../src/contract/environment.ts";
import { ToolError } from "../../src/contract/error.ts";
import type { Processes, ProcessStatus } from "../../src/contract/process.ts";
import { openLocalEnvironment } from "../../src/environment/local/local-environment.ts";
import { RedactedStream } from "../../src/policy/redaction/redact.ts";
import { openProcesses, type RoomProcesses } from "../../src/processes/open-processes.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A workspace on the real disk with processes beside it, without a sandbox. */
export interface ProcessRoom extends AsyncDisposable {
  readonly workspace: string;
  readonly environment: Environment;
  readonly room: RoomProcesses;
  readonly processes: Processes;
  readonly signal: AbortSignal;
}

/** `await using` ends what runs and removes it. */
export function processRoom(): ProcessRoom {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  mkdirSync(workspace);
  const environment = openLocalEnvironment({ workspace });
  const room = openProcesses({ redactor: () => new RedactedStream() });
  return {
    workspace,
    environment,
    room,
    processes: room.forCall({ environment }),
    signal: new AbortController().signal,
    [Symbol.asyncDispose]: async () => {
      await room.close();
      await environment.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** What is the same each time. */
export function steady(status: ProcessStatus): Partial<ProcessStatus> {
  const { pid, startedAt, durationMs, quietMs, waitsForInput, ...same } = status;
  return same;
}

/** All that the caller of something that fails is told. */
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
