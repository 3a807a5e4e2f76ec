import { DamagedIndex } from "./damaged-index.ts";
import { checked, checkOf, type IndexDatabase } from "./index-database.ts";
import { PageCache } from "./page-cache.ts";
import {
  type LexicalHead,
  readLexicalHead,
  readWordsHead,
  type WordsHead,
  writeLexicalHead,
  writeWordsHead,
} from "./segment-head.ts";
import { SegmentReader } from "./segment-reader.ts";
import type { Segment } from "./segment-writer.ts";

export interface StoredSegment<Head> {
  readonly number: number;
  readonly head: Head;
  readonly reader: SegmentReader;
}

/** So much of the pages is held in memory. */
const cacheBytes = 48 * 1024 * 1024;

/** A segment has fewer pages than this. */
const pagesPerSegment = 2 ** 22;

/** The segments of an index: their heads in memory, their pages as they are needed. */
export class SegmentTable {
  readonly #database: IndexDatabase;
  readonly #lexical = new Map<number, StoredSegment<LexicalHead>>();
  readonly #words = new Map<number, StoredSegment<WordsHead>>();
  readonly #pages = new PageCache(cacheBytes);

  constructor(database: IndexDatabase) {
    this.#database = database;
  }

  get lexical(): Iterable<StoredSegment<LexicalHead>> {
    return this.#lexical.values();
  }

  get words(): Iterable<StoredSegment<WordsHead>> {
    return this.#words.values();
  }

  has(number: number): boolean {
    return this.#lexical.has(number) || this.#words.has(number);
  }

  /** The number that the next one gets. */
  get next(): number {
    return this.#database.nextNumber("segments");
  }

  /** Takes over what is on record; of those that are known already nothing has changed. */
  read(): void {
    const listed = this.#database.all<[number, string]>("SELECT number, kind FROM segments");
    const numbers = new Set(listed.map(([number]) => number));
    for (const segments of [this.#lexical, this.#words])
      for (const number of segments.keys()) if (!numbers.has(number)) segments.delete(number);
    for (const [number, kind] of listed) {
      if (this.has(number)) continue;
      const head = this.#database.one<[Uint8Array, number]>(
        "SELECT head, checked FROM segments WHERE number=?",
        number,
      )!;
      const bytes = checked(head[0], head[1], kind, number);
      if (kind === "lexical") this.#holdLexical(number, readLexicalHead(bytes));
      else this.#holdWords(number, readWordsHead(bytes));
    }
  }

  addLexical({ pages, ...part }: Segment, files: Uint32Array): number {
    const head = { ...part, files };
    return this.#holdLexical(this.#add("lexical", pages, writeLexicalHead(head)), head);
  }

  addWords({ pages, ...part }: Segment, columns: Omit<WordsHead, keyof Segment>): number {
    const head = { ...part, ...columns };
    return this.#holdWords(this.#add("words", pages, writeWordsHead(head)), head);
  }

  remove(number: number): void {
    this.#lexical.delete(number);
    this.#words.delete(number);
    this.#database.run("DELETE FROM segments WHERE number=?", number);
    const first = number * pagesPerSegment;
    this.#database.run("DELETE FROM pages WHERE place BETWEEN ? AND ?", first, first + pagesPerSegment - 1);
  }

  /** What is in memory may not be on record. */
  forget(): void {
    this.#lexical.clear();
    this.#words.clear();
    this.#pages.clear();
  }

  #holdLexical(number: number, head: LexicalHead): number {
    this.#lexical.set(number, { number, head, reader: this.#reader(number, head) });
    return number;
  }

  #holdWords(number: number, head: WordsHead): number {
    this.#words.set(number, { number, head, reader: this.#reader(number, head) });
    return number;
  }

  #add(kind: "lexical" | "words", pages: readonly Uint8Array[], head: Uint8Array): number {
    const number = this.next;
    const check = checkOf(head, kind, number);
    this.#database.run("INSERT INTO segments VALUES (?,?,?,?)", number, kind, head, check);
    for (const [page, bytes] of pages.entries()) {
      const place = number * pagesPerSegment + page;
      this.#database.run("INSERT INTO pages VALUES (?,?,?)", place, bytes, checkOf(bytes, "page", place));
    }
    return number;
  }

  #reader(number: number, head: LexicalHead | WordsHead): SegmentReader {
    return new SegmentReader(head, (page) => {
      const place = number * pagesPerSegment + page;
      return this.#pages.get(place, () => this.#readPage(place));
    });
  }

  #readPage(place: number): Uint8Array {
    const row = this.#database.one<[Uint8Array, number]>(
      "SELECT bytes, checked FROM pages WHERE place=?",
      place,
    );
    if (row === undefined) throw new DamagedIndex("a page is missing");
    return checked(row[0], row[1], "page", place);
  }
}
