import type {
  CandidatePattern,
  CentralFile,
  CentralWanted,
  IndexedSymbol,
  IndexHit,
  IndexQuery,
  IndexState,
  Reading,
  SymbolsWanted,
} from "../../contract/code.ts";
import { answer } from "../search/answer.ts";
import { central } from "../search/central.ts";
import { Indexer, type IndexerOptions } from "./indexer.ts";
import { findCandidates } from "./query/find-candidates.ts";
import { findSymbols } from "./query/find-symbols.ts";
import { currentWordIndex } from "./query/word-index.ts";

export type { BuildWorker } from "./build/build-service.ts";
export type { IndexerOptions } from "./indexer.ts";

/** The service of the process that keeps an index. Queries use the result of the last refresh. */
export interface IndexService {
  /** Scans all files, and waits a moment when something is to be built. */
  refresh(options: Refreshing): Promise<IndexState>;
  search(question: IndexQuery, options: Reading): Promise<readonly IndexHit[]>;
  candidates(pattern: CandidatePattern, options: Reading): Promise<readonly string[]>;
  symbols(wanted: SymbolsWanted, options: Reading): Promise<readonly IndexedSymbol[]>;
  central(wanted: CentralWanted, options: Reading): Promise<readonly CentralFile[]>;
  /** Stops building; finished work is kept. */
  close(): Promise<void>;
}

interface Refreshing extends Reading {
  /** Default: 3 s. */
  readonly patienceMs?: number;
  readonly progress: (message: string) => void;
}

const patienceMs = 3000;

export function openIndexer(options: IndexerOptions): IndexService {
  const indexer = new Indexer(options);
  return {
    refresh: (refreshing) => indexer.refresh({ patienceMs, ...refreshing }),
    search: (question) => indexer.answer((looked) => answer(currentWordIndex(looked), question)),
    candidates: (pattern) => indexer.answer((looked) => findCandidates(pattern, looked)),
    symbols: (wanted) => indexer.answer((looked) => findSymbols(wanted, currentWordIndex(looked))),
    central: (wanted) => indexer.answer((looked) => central(currentWordIndex(looked), wanted)),
    close: () => indexer.close(),
  };
}
