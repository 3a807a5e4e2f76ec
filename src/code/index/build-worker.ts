import type { LexicalAnswer, LexicalRequest } from "./build-lexical.ts";
import type { WordsAnswer, WordsRequest } from "./build-words.ts";

/** Reads files for the index, in a process that may break down: then a request fails, and the next starts another. */
export interface BuildWorker {
  lexical(request: LexicalRequest, signal: AbortSignal): Promise<LexicalAnswer>;
  words(request: WordsRequest, signal: AbortSignal): Promise<WordsAnswer>;
  close(): Promise<void>;
}
