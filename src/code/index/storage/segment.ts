import { firstIndex } from "../../first-index.ts";
import { ByteReader, ByteWriter, DamagedIndex } from "./bytes.ts";

/** Terms, each with the documents that contain it. A segment never changes. */
export interface Segment {
  readonly documents: number;
  readonly weighted: boolean;
  readonly firstTerms: readonly Uint8Array[];
  readonly pages: readonly Uint8Array[];
}

/** A page ends at this size, so that most fit into a page of SQLite. */
const pageBytes = 3500;

/** Writes terms in ascending byte order into pages. Each term is stored relative to the previous one. */
export class SegmentWriter {
  readonly #weighted: boolean;
  readonly #documents: number;
  readonly #page = new ByteWriter();
  readonly #postings = new ByteWriter();
  readonly #firstTerms: Uint8Array[] = [];
  readonly #pages: Uint8Array[] = [];
  readonly #bitmap: Uint8Array;
  #last: Uint8Array = new Uint8Array(0);

  constructor(documents: number, options: { readonly weighted: boolean }) {
    this.#documents = documents;
    this.#weighted = options.weighted;
    this.#bitmap = new Uint8Array((documents + 7) >> 3);
  }

  /** Adds a term. `documents` are ascending; those from `start` to `end` count, and so do their weights. */
  add(
    term: Uint8Array,
    documents: ArrayLike<number>,
    weights: ArrayLike<number> | undefined,
    { start = 0, end = documents.length }: { readonly start?: number; readonly end?: number } = {},
  ): void {
    const isFirst = this.#page.length === 0;
    const shared = isFirst ? 0 : sharedLength(this.#last, term);
    if (isFirst) this.#firstTerms.push(new Uint8Array(term));
    this.#page.varint(shared);
    this.#page.varint(term.length - shared);
    this.#page.append(term, shared);
    this.#page.varint(end - start);
    if (isDense(end - start, this.#documents)) this.#page.append(this.#bitmapOf(documents, start, end));
    else this.#appendGaps(documents, start, end);
    if (this.#weighted) for (let at = start; at < end; at++) this.#page.byte(weights![at]!);
    if (this.#last.length === term.length) this.#last.set(term);
    else this.#last = new Uint8Array(term);
    if (this.#page.length >= pageBytes) this.#pages.push(this.#page.take());
  }

  done(): Segment {
    if (this.#page.length > 0) this.#pages.push(this.#page.take());
    const [documents, weighted, pages] = [this.#documents, this.#weighted, this.#pages];
    return { documents, weighted, firstTerms: this.#firstTerms.slice(0, pages.length), pages };
  }

  #appendGaps(documents: ArrayLike<number>, start: number, end: number): void {
    let before = -1;
    for (let at = start; at < end; at++) {
      this.#postings.varint(documents[at]! - before - 1);
      before = documents[at]!;
    }
    this.#page.varint(this.#postings.length);
    this.#page.drain(this.#postings);
  }

  #bitmapOf(documents: ArrayLike<number>, start: number, end: number): Uint8Array {
    this.#bitmap.fill(0);
    for (let at = start; at < end; at++) this.#bitmap[documents[at]! >> 3]! |= 1 << (documents[at]! & 7);
    return this.#bitmap;
  }
}

function isDense(count: number, documents: number): boolean {
  return count * 8 > documents;
}

function sharedLength(one: Uint8Array, other: Uint8Array): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one[length] === other[length]) length++;
  return length;
}

export interface Postings {
  readonly documents: Uint32Array;
  /** The weights at the same positions; empty in an unweighted segment. */
  readonly weights: Uint8Array;
}

export interface FoundTerm {
  /** How many documents contain it. */
  readonly count: number;
  postings(): Postings;
}

export type SegmentHead = Omit<Segment, "pages">;

export class SegmentReader {
  readonly head: SegmentHead;
  readonly #readPage: (page: number) => Uint8Array;

  constructor(head: SegmentHead, readPage: (page: number) => Uint8Array) {
    this.head = head;
    this.#readPage = readPage;
  }

  /** Finds a term. Its postings are decoded when they are asked for. */
  find(term: Uint8Array): FoundTerm | undefined {
    const reader = this.#find(term);
    if (reader === undefined) return undefined;
    const { bytes, at } = reader;
    return { count: reader.varint(), postings: () => this.#read(new ByteReader(bytes, at)) };
  }

  postings(term: Uint8Array): Postings | undefined {
    return this.find(term)?.postings();
  }

  /** Returns how many documents contain a term. */
  count(term: Uint8Array): number {
    return this.find(term)?.count ?? 0;
  }

  /** Returns those of the documents, in ascending order, that contain a term. */
  among(documents: Uint32Array, term: Uint8Array): Uint32Array {
    const reader = this.#find(term);
    if (reader === undefined) return documents.subarray(0, 0);
    const count = reader.varint();
    if (!isDense(count, this.head.documents)) return intersection(documents, this.#documents(reader, count));
    const bitmap = reader.take((this.head.documents + 7) >> 3);
    return documents.filter((document) => (bitmap[document >> 3]! & (1 << (document & 7))) !== 0);
  }

  /** Returns a reader of the postings of a term. */
  #find(term: Uint8Array): ByteReader | undefined {
    const page = this.#pageOf(term);
    if (page < 0) return undefined;
    const bytes = this.#readPage(page);
    const reader = new ByteReader(bytes);
    // This counts the bytes that the wanted term shares with the previous one. A term that shares fewer comes after it.
    let matched = 0;
    while (!reader.isAtEnd) {
      const shared = reader.varint();
      const length = reader.varint();
      const start = reader.at;
      reader.at += length;
      if (shared < matched) return undefined;
      if (shared === matched) {
        let at = 0;
        while (at < length && matched < term.length && bytes[start + at] === term[matched]) {
          at++;
          matched++;
        }
        if (at === length && matched === term.length) return reader;
        if (at < length && (matched === term.length || bytes[start + at]! > term[matched]!)) return undefined;
      }
      this.#skip(reader);
    }
    return undefined;
  }

  /** Yields the postings of the terms that occur, which are in byte order. Reads each page once. */
  *postingsOfAll(
    terms: readonly Uint8Array[],
  ): Generator<{ readonly index: number; readonly postings: Postings }> {
    const { firstTerms } = this.head;
    let index = 0;
    while (index < terms.length) {
      const page = this.#pageOf(terms[index]!);
      const next = firstTerms[page + 1];
      let end = index + 1;
      while (end < terms.length && (next === undefined || Buffer.compare(terms[end]!, next) < 0)) end++;
      if (page >= 0) yield* this.#inPage(page, terms, index, end);
      index = end;
    }
  }

  /** Yields the postings of the terms from `index` to `end` that occur in a page. */
  *#inPage(
    page: number,
    terms: readonly Uint8Array[],
    index: number,
    end: number,
  ): ReturnType<SegmentReader["postingsOfAll"]> {
    const reader = new ByteReader(this.#readPage(page));
    let wanted = index;
    let term = Buffer.alloc(longTerm);
    while (wanted < end && !reader.isAtEnd) {
      const shared = reader.varint();
      const length = shared + reader.varint();
      if (length > term.length) term = Buffer.concat([term], 2 * length);
      for (let at = shared; at < length; at++) term[at] = reader.bytes[reader.at++]!;
      const whole = term.subarray(0, length);
      while (wanted < end && Buffer.compare(terms[wanted]!, whole) < 0) wanted++;
      if (wanted < end && Buffer.compare(terms[wanted]!, whole) === 0)
        yield { index: wanted++, postings: this.#read(reader) };
      else this.#skip(reader);
    }
  }

  /** Yields the terms that begin with these bytes, in byte order. */
  *terms(start: Uint8Array = none): Generator<{ readonly term: Uint8Array; readonly postings: Postings }> {
    for (let page = Math.max(0, this.#pageOf(start)); page < this.head.firstTerms.length; page++) {
      const reader = new ByteReader(this.#readPage(page));
      let term: Uint8Array = new Uint8Array(0);
      while (!reader.isAtEnd) {
        const shared = reader.varint();
        const rest = reader.take(reader.varint());
        const whole = new Uint8Array(shared + rest.length);
        whole.set(term.subarray(0, shared));
        whole.set(rest, shared);
        term = whole;
        const order = Buffer.compare(term.subarray(0, start.length), start);
        if (order > 0) return;
        if (order < 0) this.#skip(reader);
        else yield { term, postings: this.#read(reader) };
      }
    }
  }

  /** Returns the last page whose first term is not greater, or -1 when there is none. */
  #pageOf(term: Uint8Array): number {
    const { firstTerms } = this.head;
    return firstIndex(firstTerms.length, (page) => Buffer.compare(firstTerms[page]!, term) > 0) - 1;
  }

  #read(reader: ByteReader): Postings {
    const count = reader.varint();
    const documents = this.#documents(reader, count);
    const weights = this.head.weighted ? reader.take(count) : none;
    return { documents, weights };
  }

  #documents(reader: ByteReader, count: number): Uint32Array {
    const documents = new Uint32Array(count);
    if (isDense(count, this.head.documents)) {
      const bitmap = reader.take((this.head.documents + 7) >> 3);
      let position = 0;
      for (let byte = 0; byte < bitmap.length; byte++) {
        for (let bits = bitmap[byte]!; bits !== 0; bits &= bits - 1) {
          documents[position++] = byte * 8 + (31 - Math.clz32(bits & -bits));
        }
      }
    } else {
      reader.varint();
      const { bytes } = reader;
      let before = -1;
      for (let position = 0; position < count; position++) {
        const byte = bytes[reader.at]!;
        before += 1 + (byte < 0x80 ? byte : reader.varint());
        if (byte < 0x80) reader.at++;
        documents[position] = before;
      }
      if (before >= this.head.documents) throw new DamagedIndex("a document has no number");
    }
    return documents;
  }

  #skip(reader: ByteReader): void {
    const count = reader.varint();
    if (isDense(count, this.head.documents)) reader.at += (this.head.documents + 7) >> 3;
    else reader.skip(reader.varint());
    if (this.head.weighted) reader.at += count;
  }
}

function intersection(one: Uint32Array, other: Uint32Array): Uint32Array {
  const both = new Uint32Array(Math.min(one.length, other.length));
  let count = 0;
  for (let left = 0, right = 0; left < one.length && right < other.length; ) {
    const difference = one[left]! - other[right]!;
    if (difference === 0) both[count++] = one[left]!;
    if (difference <= 0) left++;
    if (difference >= 0) right++;
  }
  return both.subarray(0, count);
}

const none = new Uint8Array(0);
const longTerm = 256;
