import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { safeParse } from "zod/v4/core";
import type { OpenCode } from "../../src/code/open-code.ts";
import { type ErrorCode, ToolError } from "../../src/contract/error.ts";
import type { AnyTool, Tool, ToolContext, ToolOutput } from "../../src/contract/tool.ts";
import { openLocalEnvironment } from "../../src/environment/local/local-environment.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { toolContext } from "./tool-context.ts";

/** A workspace on the real disk in which tools run without the stages of the pipeline. */
export interface ToolFixture extends AsyncDisposable {
  readonly workspace: string;
  /** The folder of stored outputs, by handle. */
  readonly outputs: string;
  readonly context: ToolContext;
  /** The path on the disk of a path in the workspace. */
  at(path: string): string;
  run<Input, Data>(tool: Tool<Input, Data>, input: Input, signal?: AbortSignal): Promise<ToolOutput<Data>>;
  /** The error of a failing call, as its caller sees it. */
  refusal<Input>(tool: Tool<Input, unknown>, input: Input, signal?: AbortSignal): Promise<Refusal>;
}

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | undefined;
}

/** `await using` removes it. `read` opens a code reader, if the tool needs one. */
export function toolFixture(read?: (workspace: string, outputs: string) => OpenCode): ToolFixture {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "workspace");
  const outputs = join(folder.path, "outputs");
  for (const path of [workspace, outputs]) mkdirSync(path);
  const environment = openLocalEnvironment({ workspace, outputs });
  const code = read?.(workspace, outputs);
  const context = { ...toolContext(environment), ...(code && { code }) };
  const fixture: ToolFixture = {
    workspace,
    outputs,
    context,
    at: (path) => join(workspace, path),
    run: async (tool, input, signal = context.signal) => tool.run(input, { ...context, signal }),
    refusal: async (tool, input, signal) => {
      try {
        await fixture.run(tool, input, signal);
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        const { code, message, hint } = error;
        return { code, message, hint };
      }
      throw new Error(`${tool.name} did not fail`);
    },
    [Symbol.asyncDispose]: async () => {
      await code?.close();
      await environment.close();
      await folder[Symbol.asyncDispose]();
    },
  };
  return fixture;
}

/** The faults that a tool's schema finds in an input, one per line. */
export function schemaFaults(tool: AnyTool, input: unknown): string[] {
  // The texts are zod's, in whatever language another test has loaded.
  const parsed = safeParse(tool.input, input, { error: () => "Invalid input" });
  return parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}
