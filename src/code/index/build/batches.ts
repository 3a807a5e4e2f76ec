import { isHeavyToIndex } from "../../languages/find-language.ts";
import type { FileRecord } from "../storage/file-record.ts";
import type { IndexStore } from "../storage/index-store.ts";
import type { WordIndexFile } from "./build-words.ts";
import type { ReadFile } from "./commit.ts";
import { isOutlinable, type WorkspaceState } from "./workspace-state.ts";

export type Batch =
  | { readonly kind: "lexical"; readonly files: readonly ReadFile[] }
  | { readonly kind: "words"; readonly files: readonly WordIndexFile[] };

const limits = {
  lexical: { files: 2000, bytes: 12 * 1024 * 1024 },
  words: { files: 2000, bytes: 4 * 1024 * 1024 },
} as const;

/** The first requests are smaller and grow, so that searches soon find something. */
const first = { files: 64, bytes: 128 * 1024, rounds: 3 } as const;

export class Batches {
  readonly #workers: number;
  readonly #languages: WorkerLanguages;
  readonly #underway = new Set<string>();
  readonly #again: Batch[] = [];
  /** The content hashes of failed files, so that new content is tried again. */
  readonly #unparsable = new Set<string>();
  readonly #wordless = new Set<string>();
  readonly #unreadable = new Set<string>();
  #dealt = 0;
  #begun = 0;

  constructor(workers: number) {
    this.#workers = workers;
    this.#languages = new WorkerLanguages(workers);
  }

  /**
   * Returns the next work for a worker: both the trigrams and the words of the first files, then the trigrams of all
   * files, then their words.
   */
  next(state: WorkspaceState, store: IndexStore, worker: number): Batch | undefined {
    const isFirst = this.#dealt < first.rounds * this.#workers;
    const batch =
      this.#again.pop() ??
      (isFirst ? this.#words(state, store, worker) : undefined) ??
      this.#lexical(state, store) ??
      this.#words(state, store, worker);
    for (const { path } of batch?.files ?? []) this.#underway.add(path);
    return batch;
  }

  hasMore({ files, outdated, wordless }: WorkspaceState, store: IndexStore): boolean {
    for (const place of outdated) if (this.#mayBeRead(files.pathAt(place))) return true;
    for (const number of wordless) if (this.#mayHaveWords(store.record(number))) return true;
    return false;
  }

  done({ files }: Batch): void {
    for (const { path } of files) this.#underway.delete(path);
  }

  /** Handles a crash: retries each half, then a single file without symbols. Returns whether to give up. */
  blame(batch: Batch): boolean {
    if (batch.files.length > 1) {
      const middle = batch.files.length >> 1;
      this.#again.push(part(batch, 0, middle), part(batch, middle));
      return false;
    }
    if (batch.kind === "lexical") {
      this.#unreadable.add(batch.files[0]!.path);
      return true;
    }
    const { hash, parsed } = batch.files[0]!;
    (parsed ? this.#unparsable : this.#wordless).add(hash);
    return !parsed;
  }

  #lexical({ files: all, outdated }: WorkspaceState, { records }: IndexStore): Batch | undefined {
    const limit = { ...limits.lexical, files: this.#growing(first.files, this.#begun, limits.lexical.files) };
    const files: LexicalFile[] = [];
    const window = new Window(this.#workers, limits.lexical);
    for (const place of outdated) {
      const path = all.pathAt(place);
      if (!this.#mayBeRead(path)) continue;
      const listed = all.at(place);
      const bytes = listed.figures?.[0] ?? 0;
      files.push({ path, listed, bytes });
      if (window.isFullWith(bytes)) break;
    }
    const taken = this.#take(files, limit);
    if (taken.length === 0) return undefined;
    this.#begun++;
    return {
      kind: "lexical",
      files: taken.map((file) => ({ ...file, knownHash: records.get(file.path)?.hash })),
    };
  }

  #words({ wordless }: WorkspaceState, store: IndexStore, worker: number): Batch | undefined {
    const files: { record: FileRecord; path: string; language: string | undefined; bytes: number }[] = [];
    const window = new Window(this.#workers, limits.words);
    for (const number of wordless) {
      const record = store.record(number);
      if (!this.#mayHaveWords(record)) continue;
      const { path, language } = record;
      const [bytes] = record.figures;
      files.push({ record, path, language, bytes });
      if (window.isFullWith(bytes)) break;
    }
    const bytes = this.#growing(first.bytes, this.#dealt, limits.words.bytes);
    const chosen = this.#languages.choose(files, worker);
    // Heavy files are parsed in a process of their own, in which all others would take longer.
    const isHeavy = isHeavyToIndex(chosen[0]?.language);
    const alike = chosen.filter(({ language }) => isHeavyToIndex(language) === isHeavy);
    const taken = this.#take(alike, { ...limits.words, bytes });
    if (taken.length === 0) return undefined;
    this.#languages.claim(taken, worker);
    this.#dealt++;
    return { kind: "words", files: taken.map(({ record }) => this.#request(record)) };
  }

  /** Returns the size of the next request, which doubles in each round of the workers. */
  #growing(size: number, requests: number, most: number): number {
    return Math.min(most, size * 2 ** Math.floor(requests / this.#workers));
  }

  #mayBeRead(path: string): boolean {
    return !this.#underway.has(path) && !this.#unreadable.has(path);
  }

  #mayHaveWords(record: FileRecord | undefined): record is FileRecord {
    if (record === undefined || this.#underway.has(record.path)) return false;
    return this.#wordless.size === 0 || !this.#wordless.has(record.hash);
  }

  #request({ number, path, hash, language, traits }: FileRecord): WordIndexFile {
    const parsed = isOutlinable(language) && !traits.unparsed && !this.#unparsable.has(hash);
    return { number, path, hash, language, parsed };
  }

  /** Returns the first files, few enough to keep all workers busy, in path order. */
  #take<File extends { readonly path: string; readonly bytes: number }>(
    files: readonly File[],
    limit: { readonly files: number; readonly bytes: number },
  ): readonly File[] {
    const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    const fair = Math.max(total / (2 * this.#workers), fewBytes);
    const taken: File[] = [];
    let bytes = 0;
    for (const file of files) {
      if (taken.length >= limit.files || bytes >= Math.min(limit.bytes, fair)) break;
      taken.push(file);
      bytes += file.bytes;
    }
    return taken.sort((one, other) => (one.path < other.path ? -1 : 1));
  }
}

const fewBytes = 128 * 1024;

interface LexicalFile extends Omit<ReadFile, "knownHash"> {
  readonly bytes: number;
}

/** Limits how many waiting files are looked at for a batch: enough to share them fairly, never all of many. */
class Window {
  #files: number;
  #bytes: number;

  constructor(workers: number, { files, bytes }: { readonly files: number; readonly bytes: number }) {
    this.#files = 2 * workers * files;
    this.#bytes = 4 * workers * bytes;
  }

  isFullWith(bytes: number): boolean {
    this.#files -= 1;
    this.#bytes -= bytes;
    return this.#files <= 0 || this.#bytes <= 0;
  }
}

function part(batch: Batch, start: number, end?: number): Batch {
  return batch.kind === "words"
    ? { kind: "words", files: batch.files.slice(start, end) }
    : { kind: "lexical", files: batch.files.slice(start, end) };
}

interface Waiting {
  readonly language: string | undefined;
  readonly bytes: number;
}

/** Assigns languages to as few workers as possible, because a grammar and its query take a second to load. */
export class WorkerLanguages {
  readonly #claimed: readonly Set<string>[];

  constructor(workers: number) {
    this.#claimed = Array.from({ length: workers }, () => new Set<string>());
  }

  /** Orders files for a worker: its own languages, then unclaimed ones, then those of other workers. */
  choose<File extends Waiting>(files: readonly File[], worker: number): readonly File[] {
    const [own, others] = [this.#claimed[worker]!, this.#claimed.filter((_, other) => other !== worker)];
    const byLanguage = Map.groupBy(files, ({ language }) => language);
    const isFree = (language: string | undefined) =>
      language === undefined || own.has(language) || !others.some((claimed) => claimed.has(language));
    const free = [...byLanguage].filter(([language]) => isFree(language));
    const rank = (language: string | undefined) => (language === undefined ? 2 : own.has(language) ? 0 : 1);
    const chosen = (free.length > 0 ? free : [...byLanguage]).map(([language, held]) => ({
      held,
      rank: rank(language),
      bytes: held.reduce((sum, { bytes }) => sum + bytes, 0),
    }));
    chosen.sort((one, other) => one.rank - other.rank || other.bytes - one.bytes);
    return chosen.flatMap(({ held }) => held);
  }

  claim(files: readonly Pick<Waiting, "language">[], worker: number): void {
    for (const { language } of files) if (language !== undefined) this.#claimed[worker]!.add(language);
  }
}
