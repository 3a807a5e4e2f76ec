import type { Code } from "../contract/code.ts";
import { ToolError } from "../contract/error.ts";
import type { PathGuard } from "../contract/guard.ts";
import { IndexWorker } from "./worker/index-worker.ts";
import { Reader } from "./worker/reader.ts";

export interface CodeOptions {
  /** Real path. */
  readonly workspace: string;
  /** Private folder of this workspace for the index. */
  readonly directory: string;
  /** Which files the index leaves out; asked again for all when the answer may have changed. */
  readonly guard: PathGuard;
  /** Its files are not this machine's, so that only what is handed over can be read: there is no index. */
  readonly isElsewhere?: boolean;
}

export interface OpenCode extends Code {
  /** Ends what reads, and what builds the index. */
  close(): Promise<void>;
}

/** The reading of code in one workspace. What does the work runs beside us, and is started by the first question. */
export function openCode(options: CodeOptions): OpenCode {
  const reader = new Reader();
  const index = new IndexWorker(options);
  return {
    outline: (source, reading) => reader.outline(source, reading),
    occurrences: (source, name, reading) => reader.occurrences(source, name, reading),
    index: async (waiting) => {
      if (options.isElsewhere) throw noIndexElsewhere();
      return index.index(waiting);
    },
    close: async () => {
      await Promise.all([reader.close(), index.close()]);
    },
  };
}

function noIndexElsewhere(): ToolError {
  return new ToolError("unavailable", "There is no index of a workspace that is not on this machine", {
    hint: "Search with search.grep, and list symbols file by file with code.symbols.",
  });
}
