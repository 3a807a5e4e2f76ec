import { openLocalEnvironment } from "../../../environment/local/local-environment.ts";
import { type LexicalAnswer, LexicalBuilder, type LexicalRequest } from "./build-lexical.ts";
import type { WordIndexAnswer, WordIndexRequest } from "./build-words.ts";

/** The service of a process that reads files for an index; one request at a time. */
export interface BuildService {
  lexical(
    request: LexicalRequest & { readonly workspace: string },
    options: { readonly signal: AbortSignal },
  ): Promise<LexicalAnswer>;
  words(
    request: WordIndexRequest & { readonly workspace: string },
    options: { readonly signal: AbortSignal },
  ): Promise<WordIndexAnswer>;
}

/** Calls `retire` when this process can no longer be trusted. */
export function buildService(retire: () => void): BuildService {
  const opened = new Map<string, ReturnType<typeof open>>();
  const open = (workspace: string) => {
    const environment = openLocalEnvironment({ workspace });
    return { environment, builder: new LexicalBuilder(environment) };
  };
  const at = (workspace: string) => {
    const found = opened.get(workspace) ?? open(workspace);
    opened.set(workspace, found);
    return found;
  };
  return {
    lexical: ({ workspace, ...request }, { signal }) => at(workspace).builder.build(request, signal),
    words: async ({ workspace, ...request }, { signal }) => {
      // Loaded after the trigrams are done: loading takes longer than the rest of the program.
      const { buildWordIndex } = await import("./build-words.ts");
      const answer = await buildWordIndex(request, at(workspace).environment, signal);
      if (answer.files.includes("broken")) retire();
      return answer;
    },
  };
}

/**
 * Reads files for the index in a process that may crash: then a request fails, and the next one starts another
 * process.
 */
export interface BuildWorker {
  lexical(request: LexicalRequest, signal: AbortSignal): Promise<LexicalAnswer>;
  words(request: WordIndexRequest, signal: AbortSignal): Promise<WordIndexAnswer>;
  close(): Promise<void>;
}
