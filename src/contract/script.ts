import type { ErrorCode } from "./error.ts";

/** Runs programs that models write. */
export interface Scripts {
  /** Runs a program to its end. Rejects with a ToolError that has what was printed as its output. */
  run(program: string, calls: InnerCalls, options: { readonly signal: AbortSignal }): Promise<ScriptResult>;
}

export interface ScriptResult {
  /** The output of `print`. */
  readonly printed: string;
  /** The value that the program returned, as JSON can express it; undefined without one. */
  readonly value: unknown;
  /** The text of that value. */
  readonly text: string;
  readonly calls: number;
  readonly failedCalls: number;
}

/** Makes the calls of a program or of a tool, each through the whole pipeline, under the rules of its caller. */
export interface InnerCalls {
  /** Whether the program was itself started by a program. */
  readonly areNested: boolean;
  /** Returns the tools that the program can call. */
  tools(): Promise<readonly ScriptTool[]>;
  /** Makes a call. Failures are results. */
  call(name: string, input: unknown, options: { readonly signal: AbortSignal }): Promise<InnerResult>;
}

/** The calls of a tool of the program. */
export interface ToolCalls extends InnerCalls {
  /** Makes a call. The result is what callers of the instance get. */
  callWhole(name: string, input: unknown, options: { readonly signal: AbortSignal }): Promise<unknown>;
}

/** A tool as a program knows it. */
export interface ScriptTool {
  /** `file.read` is `tools.file.read`. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its argument. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** JSON Schema of the data of its result, where it is known. */
  readonly dataSchema?: Readonly<Record<string, unknown>> | undefined;
}

/** The result of an inner call, in full: it is not cut for a model. */
export type InnerResult =
  | {
      readonly ok: true;
      readonly data: unknown;
      readonly text: string;
      /** The failure of the command that the tool ran: "Exit code 1". */
      readonly failed?: string | undefined;
    }
  | { readonly ok: false; readonly error: InnerError };

export interface InnerError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
}
