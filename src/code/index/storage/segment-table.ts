import { BoundedCache } from "../../../lib/bounded-cache.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";
import { checkOf, type IndexDatabase } from "./index-database.ts";
import { type Segment, type SegmentHead, SegmentReader } from "./segment.ts";

export interface StoredSegment<Head> {
  readonly number: number;
  readonly head: Head;
  readonly reader: SegmentReader;
}

const cacheBytes = 8 * 1024 * 1024;
const pagesPerSegment = 2 ** 22;

export class SegmentTable {
  readonly #database: IndexDatabase;
  readonly #lexical = new Map<number, StoredSegment<LexicalHead>>();
  readonly #words = new Map<number, StoredSegment<WordHead>>();
  readonly #pages = new BoundedCache<number, Uint8Array>({
    maxWeight: cacheBytes,
    weigh: ({ length }) => length,
  });

  constructor(database: IndexDatabase) {
    this.#database = database;
  }

  get lexical(): Iterable<StoredSegment<LexicalHead>> {
    return this.#lexical.values();
  }

  get words(): Iterable<StoredSegment<WordHead>> {
    return this.#words.values();
  }

  get hasWords(): boolean {
    return this.#words.size > 0;
  }

  has(number: number): boolean {
    return this.#lexical.has(number) || this.#words.has(number);
  }

  get next(): number {
    return this.#database.nextNumber("segments");
  }

  read(): void {
    const listed = this.#database.all<[number, string]>("SELECT number, kind FROM segments");
    const numbers = new Set(listed.map(([number]) => number));
    for (const segments of [this.#lexical, this.#words])
      for (const number of segments.keys()) if (!numbers.has(number)) segments.delete(number);
    for (const [number, kind] of listed) {
      if (this.has(number)) continue;
      const bytes = this.#database.checked("SELECT head, checked FROM segments WHERE number=?", kind, number);
      if (kind === "lexical") this.#holdLexical(number, readLexicalHead(bytes));
      else this.#holdWords(number, readWordHead(bytes));
    }
  }

  /** Keeps a copy of the head: its arrays may be views of a message from a worker, which has all pages, too. */
  addLexical({ pages, ...part }: Segment, files: Uint32Array): number {
    const bytes = writeLexicalHead({ ...part, files });
    return this.#holdLexical(this.#add("lexical", pages, bytes), readLexicalHead(bytes));
  }

  /** Keeps a copy of the head, like `addLexical`. */
  addWords({ pages, ...part }: Segment, columns: Omit<WordHead, keyof Segment>): number {
    const bytes = writeWordHead({ ...part, ...columns });
    return this.#holdWords(this.#add("words", pages, bytes), readWordHead(bytes));
  }

  /** Yields all terms of a segment. Does not keep the pages, so that those of queries stay in memory. */
  termsOf({ number, head }: StoredSegment<SegmentHead>): ReturnType<SegmentReader["terms"]> {
    return new SegmentReader(head, (page) => this.#readPage(number * pagesPerSegment + page)).terms();
  }

  remove(number: number): void {
    this.#lexical.delete(number);
    this.#words.delete(number);
    this.#database.run("DELETE FROM segments WHERE number=?", number);
    const first = number * pagesPerSegment;
    for (const [key] of this.#pages.entries())
      if (key >= first && key < first + pagesPerSegment) this.#pages.delete(key);
    this.#database.run("DELETE FROM pages WHERE place BETWEEN ? AND ?", first, first + pagesPerSegment - 1);
  }

  forget(): void {
    this.#lexical.clear();
    this.#words.clear();
    this.#pages.clear();
  }

  #holdLexical(number: number, head: LexicalHead): number {
    this.#lexical.set(number, { number, head, reader: this.#reader(number, head) });
    return number;
  }

  #holdWords(number: number, head: WordHead): number {
    this.#words.set(number, { number, head, reader: this.#reader(number, head) });
    return number;
  }

  #add(kind: "lexical" | "words", pages: readonly Uint8Array[], head: Uint8Array): number {
    const number = this.next;
    const check = checkOf(head, kind, number);
    this.#database.run("INSERT INTO segments VALUES (?,?,?,?)", number, kind, head, check);
    for (const [page, bytes] of pages.entries()) {
      const key = number * pagesPerSegment + page;
      this.#database.run("INSERT INTO pages VALUES (?,?,?)", key, bytes, checkOf(bytes, "page", key));
    }
    return number;
  }

  #reader(number: number, head: LexicalHead | WordHead): SegmentReader {
    return new SegmentReader(head, (page) => {
      const key = number * pagesPerSegment + page;
      const held = this.#pages.use(key);
      if (held !== undefined) return held;
      const bytes = this.#readPage(key);
      this.#pages.set(key, bytes);
      return bytes;
    });
  }

  #readPage(key: number): Uint8Array {
    return this.#database.checked("SELECT bytes, checked FROM pages WHERE place=?", "page", key);
  }
}

export interface LexicalHead extends SegmentHead {
  /** The file number of each document; 0 for a document that was outdated when written. */
  readonly files: Uint32Array;
}

export interface WordHead extends SegmentHead {
  readonly fileOf: Uint32Array;
  /** The index of each document's kind in `symbolKinds`; 255 for none. */
  readonly kindOf: Uint8Array;
  readonly firstLines: Numbers;
  readonly lastLines: Numbers;
  /** The index of each document's symbol in the outline of its file plus 1; 0 for none. */
  readonly symbols: Numbers;
}

/** An index has many documents, and most of their numbers are small. */
type Numbers = Uint16Array | Uint32Array;

function inFewBytes(numbers: Uint32Array): Numbers {
  return numbers.every((number) => number < 65_536) ? Uint16Array.from(numbers) : numbers;
}

function writeLexicalHead(head: LexicalHead): Uint8Array {
  const writer = new ByteWriter();
  writePart(writer, head);
  for (const file of head.files) writer.varint(file);
  return writer.take();
}

function readLexicalHead(bytes: Uint8Array): LexicalHead {
  const reader = new ByteReader(bytes);
  const part = readPart(reader);
  const files = new Uint32Array(part.documents);
  for (let document = 0; document < files.length; document++) files[document] = reader.varint();
  return { ...part, files };
}

function writeWordHead(head: WordHead): Uint8Array {
  const writer = new ByteWriter();
  writePart(writer, head);
  for (let document = 0; document < head.documents; document++) {
    writer.varint(head.fileOf[document]!);
    writer.byte(head.kindOf[document]!);
    writer.varint(head.firstLines[document]!);
    writer.varint(head.lastLines[document]! - head.firstLines[document]!);
    writer.varint(head.symbols[document]!);
  }
  return writer.take();
}

function readWordHead(bytes: Uint8Array): WordHead {
  const reader = new ByteReader(bytes);
  const part = readPart(reader);
  const { fileOf, kindOf, firstLines, lastLines, symbols } = emptyColumns(part.documents);
  for (let document = 0; document < part.documents; document++) {
    fileOf[document] = reader.varint();
    kindOf[document] = reader.take(1)[0]!;
    firstLines[document] = reader.varint();
    lastLines[document] = firstLines[document]! + reader.varint();
    symbols[document] = reader.varint();
  }
  const lines = { firstLines: inFewBytes(firstLines), lastLines: inFewBytes(lastLines) };
  return { ...part, fileOf, kindOf, ...lines, symbols: inFewBytes(symbols) };
}

/** The columns of a segment that is being written. */
interface WordColumns extends Omit<WordHead, keyof SegmentHead> {
  readonly firstLines: Uint32Array;
  readonly lastLines: Uint32Array;
  readonly symbols: Uint32Array;
}

export function emptyColumns(documents: number): WordColumns {
  return {
    fileOf: new Uint32Array(documents),
    kindOf: new Uint8Array(documents),
    firstLines: new Uint32Array(documents),
    lastLines: new Uint32Array(documents),
    symbols: new Uint32Array(documents),
  };
}

function writePart(writer: ByteWriter, { documents, weighted, firstTerms }: SegmentHead): void {
  writer.varint(documents);
  writer.byte(weighted ? 1 : 0);
  writer.varint(firstTerms.length);
  for (const term of firstTerms) {
    writer.varint(term.length);
    writer.append(term);
  }
}

function readPart(reader: ByteReader): SegmentHead {
  const documents = reader.varint();
  const weighted = reader.take(1)[0] === 1;
  const found = Array.from({ length: reader.varint() }, () => reader.take(reader.varint()));
  return { documents, weighted, firstTerms: copyTogether(found) };
}

/** Copies the terms into one buffer. A buffer for each would take several times the memory of the terms. */
function copyTogether(terms: readonly Uint8Array[]): readonly Uint8Array[] {
  const all = new Uint8Array(terms.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  return terms.map((term) => {
    all.set(term, end);
    end += term.length;
    return all.subarray(end - term.length, end);
  });
}
