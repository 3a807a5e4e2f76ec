import { asBuffer } from "../../text/as-buffer.ts";
import { DamagedIndex } from "./damaged-index.ts";
import { type FileRecord, type FileRow, fromRow, toRow } from "./file-record.ts";
import { checked, checkOf, IndexDatabase } from "./index-database.ts";
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

/**
 * What the index knows, in memory and in its database. Other processes may write at any time: `sync` takes over what
 * they wrote. Throws what SQLite throws, or DamagedIndex: see `isDamage`.
 */
export class IndexStore {
  readonly #database: IndexDatabase;
  readonly #byPath = new Map<string, FileRecord>();
  readonly #byNumber = new Map<number, FileRecord>();
  readonly #lexical = new Map<number, StoredSegment<LexicalHead>>();
  readonly #words = new Map<number, StoredSegment<WordsHead>>();
  readonly #pages = new PageCache(cacheBytes);
  #seen = -1;
  #edition = 0;

  constructor(directory: string) {
    this.#database = new IndexDatabase(directory);
  }

  /** Why it is not kept, if so. */
  get problem(): string | undefined {
    const { problem } = this.#database;
    return problem && `The index is not kept: ${problem}`;
  }

  get isCurrent(): boolean {
    return this.#database.isCurrent;
  }

  get records(): ReadonlyMap<string, FileRecord> {
    return this.#byPath;
  }

  /** Another number whenever all records were read again. */
  get edition(): number {
    return this.#edition;
  }

  record(number: number): FileRecord | undefined {
    return this.#byNumber.get(number);
  }

  get lexicalSegments(): Iterable<StoredSegment<LexicalHead>> {
    return this.#lexical.values();
  }

  get wordSegments(): Iterable<StoredSegment<WordsHead>> {
    return this.#words.values();
  }

  /** Takes over what other processes have written; whether there was anything. */
  sync(): boolean {
    const seen = this.#database.othersWrote;
    if (seen === this.#seen) return false;
    this.#readFiles();
    this.#readSegments();
    this.#seen = seen;
    this.#edition++;
    return true;
  }

  /** While no other process writes, and after all that others wrote. */
  change<Result>(act: () => Result): Result {
    try {
      return this.#database.change(() => {
        this.sync();
        return act();
      });
    } catch (error) {
      // What was taken back there must not stay here.
      this.#seen = -1;
      this.#lexical.clear();
      this.#words.clear();
      this.#pages.clear();
      this.sync();
      throw error;
    }
  }

  /** In `change`, as all that follows. Takes the place of whatever the path had before. */
  add(record: Omit<FileRecord, "number">): FileRecord {
    const before = this.#byPath.get(record.path);
    if (before !== undefined) this.remove(before);
    const added: FileRecord = { ...record, number: this.#nextNumber("files") };
    this.#database.run("INSERT INTO files VALUES (?,?,?,?,?,?,?,?,?,?)", ...toRow(added));
    this.#byPath.set(added.path, added);
    this.#byNumber.set(added.number, added);
    return added;
  }

  /** After the record itself was changed. */
  update(record: FileRecord): void {
    const [number, ...values] = toRow(record);
    this.#database.run(
      "UPDATE files SET path=?, figures=?, settled=?, hash=?, language=?, traits=?, lexical=?, words=?, checked=? WHERE number=?",
      ...values,
      number,
    );
  }

  remove(record: FileRecord): void {
    if (this.#byPath.get(record.path) === record) this.#byPath.delete(record.path);
    this.#byNumber.delete(record.number);
    this.#database.run("DELETE FROM files WHERE number=?", record.number);
    this.#database.run("DELETE FROM outlines WHERE file=?", record.number);
  }

  /** The number that the next segment gets. */
  get nextSegment(): number {
    return this.#nextNumber("segments");
  }

  addLexical(segment: Segment, files: Uint32Array): number {
    const { pages, ...part } = segment;
    const head = { ...part, files };
    const number = this.#addSegment("lexical", pages, writeLexicalHead(head));
    this.#lexical.set(number, { number, head, reader: this.#reader(number, head) });
    return number;
  }

  addWords(segment: Segment, columns: Omit<WordsHead, keyof Segment>): number {
    const { pages, ...part } = segment;
    const head = { ...part, ...columns };
    const number = this.#addSegment("words", pages, writeWordsHead(head));
    this.#words.set(number, { number, head, reader: this.#reader(number, head) });
    return number;
  }

  removeSegment(number: number): void {
    this.#lexical.delete(number);
    this.#words.delete(number);
    this.#database.run("DELETE FROM segments WHERE number=?", number);
    const first = number * pagesPerSegment;
    this.#database.run("DELETE FROM pages WHERE place BETWEEN ? AND ?", first, first + pagesPerSegment - 1);
  }

  addOutline(file: number, bytes: Uint8Array): void {
    this.#database.run(
      "INSERT OR REPLACE INTO outlines (file, bytes, checked) VALUES (?,?,?)",
      file,
      bytes,
      checkOf(bytes, "outline", file),
    );
  }

  /** Of a file with words; empty where it has no symbols. */
  outline(file: number): Uint8Array {
    const row = this.#database.one<[Uint8Array, number]>(
      "SELECT bytes, checked FROM outlines WHERE file=?",
      file,
    );
    if (row === undefined) throw new DamagedIndex("an outline is missing");
    return checked(row[0], row[1], "outline", file);
  }

  close(): void {
    this.#database.close();
  }

  discard(): void {
    this.#database.discard();
  }

  #readFiles(): void {
    this.#byPath.clear();
    this.#byNumber.clear();
    for (const row of this.#database.all<FileRow>("SELECT * FROM files ORDER BY number")) {
      const record = fromRow(row);
      if (record === undefined) throw new DamagedIndex("a file is not what was written");
      const before = this.#byPath.get(record.path);
      if (before !== undefined) this.#byNumber.delete(before.number);
      this.#byPath.set(record.path, record);
      this.#byNumber.set(record.number, record);
    }
  }

  #readSegments(): void {
    const known = this.#database.all<[number, string]>("SELECT number, kind FROM segments");
    const numbers = new Set(known.map(([number]) => number));
    for (const segments of [this.#lexical, this.#words])
      for (const number of segments.keys()) if (!numbers.has(number)) segments.delete(number);
    for (const [number, kind] of known) {
      if (this.#lexical.has(number) || this.#words.has(number)) continue;
      const [bytes, check] = this.#database.one<[Uint8Array, number]>(
        "SELECT head, checked FROM segments WHERE number=?",
        number,
      )!;
      checked(bytes, check, kind, number);
      if (kind === "lexical") {
        const head = readLexicalHead(bytes);
        this.#lexical.set(number, { number, head, reader: this.#reader(number, head) });
      } else {
        const head = readWordsHead(bytes);
        this.#words.set(number, { number, head, reader: this.#reader(number, head) });
      }
    }
    for (const record of this.#byPath.values()) {
      const isKnown = (segment: number) => segment <= 0 || numbers.has(segment);
      if (!isKnown(record.lexical) || !isKnown(record.words)) throw new DamagedIndex("a segment is missing");
    }
  }

  #addSegment(kind: string, pages: readonly Uint8Array[], head: Uint8Array): number {
    const number = this.#nextNumber("segments");
    const check = checkOf(head, kind, number);
    this.#database.run("INSERT INTO segments VALUES (?,?,?,?)", number, kind, head, check);
    const first = number * pagesPerSegment;
    for (const [page, bytes] of pages.entries()) {
      this.#database.run(
        "INSERT INTO pages VALUES (?,?,?)",
        first + page,
        asBuffer(bytes),
        checkOf(bytes, "page", first + page),
      );
    }
    return number;
  }

  /** A number that was never used, also not for what is removed by now. */
  #nextNumber(table: string): number {
    return (
      (this.#database.one<[number]>("SELECT seq FROM sqlite_sequence WHERE name=?", table)?.[0] ?? 0) + 1
    );
  }

  #reader(number: number, head: LexicalHead | WordsHead): SegmentReader {
    return new SegmentReader(head, (page) => {
      const place = number * pagesPerSegment + page;
      return this.#pages.get(place, () => {
        const row = this.#database.one<[Uint8Array, number]>(
          "SELECT bytes, checked FROM pages WHERE place=?",
          place,
        );
        if (row === undefined) throw new DamagedIndex("a page is missing");
        return checked(row[0], row[1], "page", place);
      });
    });
  }
}
