import type { Reading } from "../../../contract/code.ts";
import type { Environment } from "../../../contract/environment.ts";
import { openLocalEnvironment } from "../../../environment/local/local-environment.ts";
import { getOrMake } from "../../get-or-make.ts";
import { type LexicalAnswer, LexicalBuilder, type LexicalRequest } from "./build-lexical.ts";
import type { WordIndexAnswer, WordIndexRequest } from "./build-words.ts";

interface InWorkspace {
  readonly workspace: string;
}

/** The service of a process that reads files for an index, one request at a time. */
export interface BuildService {
  lexical(request: LexicalRequest & InWorkspace, options: Reading): Promise<LexicalAnswer>;
  words(request: WordIndexRequest & InWorkspace, options: Reading): Promise<WordIndexAnswer>;
}

/** Creates the service. It calls `retire` when its process can no longer be trusted. */
export function buildService(retire: () => void): BuildService {
  const environments = new Map<string, Environment>();
  const environmentOf = (workspace: string) => () =>
    getOrMake(environments, workspace, () => openLocalEnvironment({ workspace }));
  const builders = new Map<string, LexicalBuilder>();
  const builderFor = (workspace: string) =>
    getOrMake(builders, workspace, () => new LexicalBuilder(environmentOf(workspace)));
  return {
    lexical: ({ workspace, ...request }, { signal }) => builderFor(workspace).build(request, signal),
    words: async ({ workspace, ...request }, { signal }) => {
      // This module takes longer to load than the rest of the program.
      const { buildWordIndex } = await import("./build-words.ts");
      // Frees 13 MB. The next request for trigrams creates another.
      builders.delete(workspace);
      const answer = await buildWordIndex(request, environmentOf(workspace), signal);
      if (answer.files.includes("broken")) retire();
      return answer;
    },
  };
}

/** Reads files for the index in a process that may crash. A request after a crash starts a new process. */
export interface BuildWorker {
  lexical(request: LexicalRequest, signal: AbortSignal): Promise<LexicalAnswer>;
  words(request: WordIndexRequest, signal: AbortSignal): Promise<WordIndexAnswer>;
  /** Ends its processes. The next request starts one. */
  retire(): void;
  close(): Promise<void>;
}
