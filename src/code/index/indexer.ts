import { setTimeout as sleep } from "node:timers/promises";
import type {
  CandidatePattern,
  CentralFile,
  CentralWanted,
  FileLines,
  IndexedSymbol,
  IndexHit,
  IndexQuery,
  IndexState,
  Reading,
  SymbolsAround,
  SymbolsWanted,
} from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import { throwIfAborted } from "../../lib/async/abort.ts";
import { answer } from "../search/answer.ts";
import { BackgroundBuild } from "./build/background-build.ts";
import { LexicalBuilder } from "./build/build-lexical.ts";
import type { BuildWorker } from "./build/build-service.ts";
import { commitGone, commitLexical } from "./build/commit.ts";
import { type FileSource, filesHere } from "./build/file-source.ts";
import { type ListedFiles, withoutFiles } from "./build/list-workspace.ts";
import { WorkspaceState } from "./build/workspace-state.ts";
import { findCandidates } from "./query/find-candidates.ts";
import { findSymbols, findSymbolsAround } from "./query/find-symbols.ts";
import { StoredMaps } from "./query/stored-maps.ts";
import { currentWordIndex } from "./query/word-index.ts";
import { DamagedIndex } from "./storage/bytes.ts";
import { isDamage, isUnreadable } from "./storage/index-database.ts";
import { IndexStore } from "./storage/index-store.ts";
import { PieceVectors, type PieceVectorsOptions } from "./vectors/piece-vectors.ts";

/** The service of the process that maintains an index. Queries use the result of the last refresh. */
export interface IndexService {
  /** Scans all files, and waits a moment if the index must be built. */
  refresh(options: Refreshing): Promise<IndexState>;
  /** Answers a query, with its vector when pieces are also compared by meaning. */
  search(
    query: IndexQuery & { readonly vector?: Float32Array | undefined },
    options: Reading,
  ): Promise<readonly IndexHit[]>;
  candidates(pattern: CandidatePattern, options: Reading): Promise<readonly string[]>;
  symbols(wanted: SymbolsWanted, options: Reading): Promise<readonly IndexedSymbol[]>;
  symbolsAround(
    files: readonly FileLines[],
    options: Reading,
  ): Promise<readonly (SymbolsAround | undefined)[]>;
  central(wanted: CentralWanted, options: Reading): Promise<readonly CentralFile[]>;
  /** Stops building; finished work is kept. */
  close(): Promise<void>;
}

export interface Refreshing extends Reading {
  /** How long to wait for the index, with the scan. Default: 2 s. */
  readonly patienceMs?: number | undefined;
  /** Waits longer while the workspace is small or nothing is indexed yet. */
  readonly patient?: boolean | undefined;
  readonly progress: (message: string) => void;
}

export function openIndexer(options: IndexerOptions): IndexService {
  const indexer = new Indexer(options);
  return {
    refresh: (refreshing) => indexer.refresh(refreshing),
    search: (query) => indexer.search(query),
    candidates: (pattern) => indexer.answer((view) => findCandidates(pattern, view)),
    symbols: (wanted) => indexer.answer((view) => findSymbols(wanted, currentWordIndex(view))),
    symbolsAround: (files) => indexer.answer((view) => findSymbolsAround(files, view)),
    central: (wanted) => indexer.central(wanted),
    close: () => indexer.close(),
  };
}

export interface IndexerOptions {
  readonly workspace: string;
  readonly directory: string;
  readonly mayRead: (realPaths: readonly string[]) => Promise<readonly boolean[]>;
  readonly workers: readonly BuildWorker[];
  /** Default: the files of this machine. */
  readonly files?: FileSource | undefined;
  /** Makes vectors of texts. Default: pieces have none. */
  readonly embedding?:
    | (Pick<PieceVectorsOptions, "model" | "embed" | "mostPerRefresh"> & {
        /** Default: every file that may be read is sent. */
        readonly maySend?: (realPaths: readonly string[]) => Promise<readonly boolean[]>;
      })
    | undefined;
}

/** Up to this much is read before a query is answered. The rest is read in the background. */
const readAtOnce = { files: 64, bytes: 2 * 1024 * 1024 };

const verdictsAtOnce = 2000;
/** A damaged index is rebuilt this often, and a query waits this long for it. */
const maxTries = 3;
const rebuildMs = 20_000;
/** How often merging checks for running queries, and how long it waits for them at most. */
const quietMs = 5;
const mostQuietMs = 200;

class Indexer {
  readonly #options: IndexerOptions;
  readonly #files: FileSource;
  readonly #builder: LexicalBuilder;
  readonly #build: BackgroundBuild;
  /** Listed files that may not be read. */
  #denied: ReadonlySet<string> = new Set();
  readonly #closing = new AbortController();
  readonly #maps = new StoredMaps();
  readonly #vectors: PieceVectors | undefined;
  #listed: { readonly files: ListedFiles; readonly readable: ListedFiles } | undefined;
  #opened: IndexStore | undefined;
  /** The number of scans and queries in progress. */
  #underway = 0;
  #lastScan: Promise<IndexView> | undefined;
  #nextScan: Promise<IndexView> | undefined;

  constructor(options: IndexerOptions) {
    this.#options = options;
    this.#files = options.files ?? filesHere(options.workspace);
    this.#builder = new LexicalBuilder(() => this.#files.environment!);
    const { workers, directory } = options;
    const discard = () => this.#discard();
    const { signal } = this.#closing;
    const done = (view: IndexView) => this.#maps.update(view);
    const quiet = () => this.#quiet();
    this.#build = new BackgroundBuild({ workers, directory, signal, discard, done, quiet });
    const { embedding } = options;
    const maySend = async (paths: readonly string[]) =>
      embedding?.maySend?.(this.#realPaths(paths)) ?? paths.map(() => true);
    this.#vectors =
      embedding && new PieceVectors({ ...embedding, directory, signal, files: this.#files, maySend });
  }

  /** Returns the index after a scan of all files that begins now. */
  scan(): Promise<IndexView> {
    // A scan that has already begun may have missed later changes.
    this.#nextScan ??= (this.#lastScan ?? Promise.resolve())
      .catch(() => {})
      .then(() => {
        this.#lastScan = this.#nextScan;
        this.#nextScan = undefined;
        return this.#counted(() => this.#scanWithRetries());
      });
    return this.#nextScan;
  }

  async refresh({ signal, progress, patienceMs = 2000, patient }: Refreshing): Promise<IndexState> {
    const giveUpAt = performance.now() + patienceMs;
    const view = await this.scan();
    await this.#build.settled({ signal, progress, giveUpAt, patient });
    throwIfAborted(signal);
    const { problem, isRunning, found = view } = this.#build;
    const counts = found.state.count(found.store);
    // Vectors are made of whole files, and after the index, which is what a query needs first.
    if (!isRunning) this.#vectors?.begin(() => this.#build.found ?? view);
    return { ...counts, isBuilding: isRunning || undefined, problem, vectors: this.#vectors?.state(found) };
  }

  search({ vector, ...query }: Parameters<IndexService["search"]>[0]): Promise<readonly IndexHit[]> {
    // New vectors may move the old ones, so the comparison is valid only until the next turn.
    return this.answer((view) =>
      answer(currentWordIndex(view), query, vector && this.#vectors?.comparison(vector)),
    );
  }

  /** Runs a query on the last scan. Rebuilds a damaged index and runs the query again. */
  answer<Answer>(ask: (view: IndexView) => Answer): Promise<Answer> {
    return this.#counted(() => this.#answer(ask));
  }

  async #answer<Answer>(ask: (view: IndexView) => Answer): Promise<Answer> {
    for (let tries = 0; ; tries++) {
      const view = await (this.#lastScan ?? this.scan());
      const found = this.#build.found ?? view;
      try {
        if (found.store !== this.#opened) throw new DamagedIndex("it was discarded");
        return found.store.read(() => {
          found.state.catchUp(found.store);
          return ask(found);
        });
      } catch (error) {
        this.#discardAfter(error, tries);
        await this.scan();
        const { signal } = this.#closing;
        const giveUpAt = performance.now() + rebuildMs;
        await this.#build.settled({ signal, giveUpAt, progress: () => {} });
        if (!this.#build.isWhole)
          throw new ToolError("stale", "The index of the workspace was damaged and is being rebuilt", {
            hint: "Retry in a moment, or search with search.grep.",
          });
      }
    }
  }

  async central(wanted: CentralWanted): Promise<readonly CentralFile[]> {
    const { files, store } = await this.answer((view) => this.#maps.find(view, wanted));
    try {
      store?.();
    } catch (error) {
      // The next call computes it again.
      if (isDamage(error)) throw error;
    }
    return files;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#options.workers.map((worker) => worker.close()));
    await this.#build.stop();
    await this.#vectors?.close();
    await this.#lastScan?.catch(() => {});
    this.#opened?.close();
    await this.#files.close();
  }

  async #counted<Result>(act: () => Promise<Result>): Promise<Result> {
    this.#underway++;
    try {
      return await act();
    } finally {
      this.#underway--;
    }
  }

  /** Resolves when no query is being answered, or after a short time. */
  async #quiet(): Promise<void> {
    const until = performance.now() + mostQuietMs;
    while (this.#underway > 0 && performance.now() < until) await sleep(quietMs, undefined, { ref: false });
  }

  async #scanWithRetries(): Promise<IndexView> {
    for (let tries = 0; ; tries++) {
      try {
        return await this.#scan();
      } catch (error) {
        this.#discardAfter(error, tries);
      }
    }
  }

  /** Discards a damaged index. Throws an error that a new index would not fix. */
  #discardAfter(error: unknown, tries: number): void {
    if (!isDamage(error) && !isUnreadable(error)) throw error;
    if (tries === maxTries)
      throw new ToolError(
        "unavailable",
        `The index of the workspace cannot be used: ${(error as Error).message}`,
        { hint: "Search with search.grep, which needs no index.", cause: error },
      );
    this.#discard();
  }

  async #scan(): Promise<IndexView> {
    const { signal } = this.#closing;
    throwIfAborted(signal);
    const known = this.#store();
    known.sync();
    const next = known.nextFile;
    if (known.records.size === 0) this.#build.wake();
    const files = await this.#readable(await this.#files.list(signal));
    // The store may have been discarded during the scan.
    const store = this.#store();
    store.sync();
    const { found } = this.#build;
    const isSame = found?.store === store && found.state.isOf(files, store);
    const state = isSame ? found.state : new WorkspaceState(files, store);
    try {
      if (store === known && !isSame) commitGone(store, state, next);
      await this.#readFew(store, state);
    } catch (error) {
      // A file that cannot be committed stays unknown, so every search reads it.
      if (isDamage(error) || signal.aborted) throw error;
      this.#build.fail(error as Error);
    }
    this.#build.begin(store, state);
    return { store, state };
  }

  async #readFew(store: IndexStore, state: WorkspaceState): Promise<void> {
    if (state.outdated.size === 0 || state.outdated.size > readAtOnce.files) return;
    const files = Array.from(state.outdated, (place) => {
      const path = state.files.pathAt(place);
      return { path, listed: state.files.at(place), knownHash: store.records.get(path)?.hash };
    });
    const bytes = files.reduce((sum, { listed }) => sum + (listed.figures?.[0] ?? 0), 0);
    if (bytes > readAtOnce.bytes) return;
    files.sort((one, other) => (one.path < other.path ? -1 : 1));
    const { signal } = this.#closing;
    const answer = await this.#builder.build(await this.#files.withContents({ files }, signal), signal);
    commitLexical(store, state, files, answer);
  }

  async #readable(files: ListedFiles): Promise<ListedFiles> {
    const last = this.#listed;
    if (last?.files === files) return last.readable;
    const denied = new Set([...this.#denied].filter((path) => files.find(path) !== undefined));
    let asked: string[] = [];
    const decide = async () => {
      const verdicts = await this.#options.mayRead(this.#realPaths(asked));
      for (const [index, path] of asked.entries()) if (!verdicts[index]) denied.add(path);
      asked = [];
    };
    for (const place of files.places()) {
      const path = files.pathAt(place);
      if (last?.files.find(path) !== undefined) continue;
      if (asked.push(path) === verdictsAtOnce) await decide();
    }
    if (asked.length > 0) await decide();
    this.#denied = denied;
    this.#listed = { files, readable: withoutFiles(files, denied) };
    return this.#listed.readable;
  }

  #realPaths(paths: readonly string[]): readonly string[] {
    const prefix = this.#options.workspace === "/" ? "/" : `${this.#options.workspace}/`;
    return paths.map((path) => prefix + path);
  }

  #store(): IndexStore {
    if (this.#opened?.isCurrent === false) {
      this.#opened.close();
      this.#opened = undefined;
    }
    this.#opened ??= new IndexStore(this.#options.directory);
    return this.#opened;
  }

  #discard(): void {
    this.#opened?.discard();
    this.#opened = undefined;
  }
}

export interface IndexView {
  readonly store: IndexStore;
  readonly state: WorkspaceState;
}
