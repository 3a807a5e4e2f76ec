import type { Code } from "../contract/code.ts";
import { ToolError } from "../contract/error.ts";
import type { PathGuard } from "../contract/guard.ts";
import { Reader } from "./host/reader.ts";

export interface CodeOptions {
  /** Real path. */
  readonly workspace: string;
  /** Private folder of this workspace for the index. */
  readonly directory: string;
  /** Which files the index leaves out; asked again for all when the answer may have changed. */
  readonly guard: PathGuard;
}

export interface OpenCode extends Code {
  /** Ends what reads, and what builds the index. */
  close(): Promise<void>;
}

/** The reading of code in one workspace. What does the work runs beside us, and is started by the first question. */
export function openCode(_options: CodeOptions): OpenCode {
  const reader = new Reader();
  return {
    outline: (source, options) => reader.outline(source, options),
    occurrences: (source, name, options) => reader.occurrences(source, name, options),
    index: async () => {
      throw new ToolError("unavailable", "The index is not there yet");
    },
    close: () => reader.close(),
  };
}
