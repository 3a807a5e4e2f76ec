import type { Code } from "../contract/code.ts";
import { ToolError } from "../contract/error.ts";
import type { PathGuard } from "../contract/guard.ts";
import { IndexWorker } from "./worker/index-worker.ts";
import { Reader } from "./worker/reader.ts";

export interface CodeOptions {
  readonly workspace: string;
  readonly directory: string;
  readonly guard: PathGuard;
  /** Whether the files are on another machine. Texts can be parsed, but there is no index. */
  readonly isElsewhere?: boolean;
}

export interface OpenCode extends Code {
  close(): Promise<void>;
}

export function openCode(options: CodeOptions): OpenCode {
  const reader = new Reader();
  const index = new IndexWorker(options);
  return {
    outline: (source, reading) => reader.outline(source, reading),
    occurrences: (source, name, reading) => reader.occurrences(source, name, reading),
    index: async (waiting) => {
      if (!options.isElsewhere) return index.index(waiting);
      throw new ToolError("unavailable", "There is no index of a workspace on another machine", {
        hint: "Search with search.grep, and list symbols file by file with code.symbols.",
      });
    },
    close: async () => {
      await Promise.all([reader.close(), index.close()]);
    },
  };
}
