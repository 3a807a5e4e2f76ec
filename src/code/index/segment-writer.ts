import { ByteWriter } from "./byte-writer.ts";

/** Terms and, for each, the documents that hold it; written once and never changed. */
export interface Segment {
  /** How many documents it numbers, from 0. */
  readonly documents: number;
  /** Whether each posting has a weight. */
  readonly weighted: boolean;
  /** The first term of each page. */
  readonly firstTerms: readonly Uint8Array[];
  readonly pages: readonly Uint8Array[];
}

/** A page is closed when it is so large: most then fit into a page of SQLite. One long list of documents takes more. */
const pageBytes = 3500;

/** Writes pages of terms in ascending order of their bytes; each tells what it shares with the one before it. */
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

  /** `documents` ascend; those from `start` to `end` count, and the weights of the same places. */
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
    const { length } = this.#pages;
    return {
      documents: this.#documents,
      weighted: this.#weighted,
      firstTerms: this.#firstTerms.slice(0, length),
      pages: this.#pages,
    };
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

/** Whether a bit for every document takes less than a byte for each that counts. */
export function isDense(count: number, documents: number): boolean {
  return count * 8 > documents;
}

function sharedLength(one: Uint8Array, other: Uint8Array): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one[length] === other[length]) length++;
  return length;
}
