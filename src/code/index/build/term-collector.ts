import { type Outline, symbolKinds } from "../../../contract/code.ts";
import { getOrMake } from "../../get-or-make.ts";
import { chunksOf } from "../../search/chunks.ts";
import { NumberList, nameTerms, type Terms } from "../../search/terms.ts";
import { type Postings as GroupedPostings, type Segment, SegmentWriter } from "../storage/segment.ts";
import { emptyColumns, type WordHead } from "../storage/segment-table.ts";

export class TermCollector {
  readonly #terms: Terms;
  #counts = new Uint32Array(2 ** 16);
  readonly #held = new NumberList();
  readonly #postings = new Postings();
  readonly #names = new Map<string, readonly number[]>();
  readonly #pieces: {
    readonly file: number;
    readonly kind: number;
    readonly firstLine: number;
    readonly lastLine: number;
    readonly symbol: number;
  }[] = [];

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  add(
    { number, path }: { readonly number: number; readonly path: string },
    text: string,
    outline: Outline | undefined,
  ): void {
    const symbols = outline?.symbols ?? [];
    const first = this.#pieces.length;
    for (const chunk of chunksOf(path, text, outline, this.#terms)) {
      const { symbol, firstLine, lastLine, terms, weights } = chunk;
      const document = this.#pieces.length;
      const kind = symbol === undefined ? 255 : symbolKinds.indexOf(symbols[symbol]!.kind);
      this.#pieces.push({ file: number, kind, firstLine, lastLine, symbol: (symbol ?? -1) + 1 });
      for (let at = 0; at < terms.length; at++) this.#post(terms[at]!, document, weights[at]!);
    }
    if (symbols.length === 0) return;
    if (this.#pieces.length === first)
      this.#pieces.push({ file: number, kind: 255, firstLine: 1, lastLine: 1, symbol: 0 });
    // The names of all symbols are added to one piece, because a search for a symbol by its name only needs the file.
    for (const term of new Set(symbols.flatMap(({ name }) => this.#named(name)))) this.#post(term, first, 1);
  }

  write(): { readonly segment: Segment; readonly columns: Omit<WordHead, keyof Segment> } {
    const writer = new SegmentWriter(this.#pieces.length, { weighted: true });
    const order = inOrderOfBytes(this.#held.numbers.subarray(0, this.#held.length), this.#terms);
    const { documents, weights } = this.#postings.byTerm(order, this.#counts);
    const encoder = new TermEncoder();
    let start = 0;
    for (const number of order) {
      const end = start + this.#counts[number]!;
      writer.add(encoder.bytesOf(this.#terms.term(number)), documents, weights, { start, end });
      start = end;
    }
    const columns = emptyColumns(this.#pieces.length);
    for (const [document, piece] of this.#pieces.entries()) {
      columns.fileOf[document] = piece.file;
      columns.kindOf[document] = piece.kind;
      columns.firstLines[document] = piece.firstLine;
      columns.lastLines[document] = piece.lastLine;
      columns.symbols[document] = piece.symbol;
    }
    return { segment: writer.done(), columns };
  }

  #named(name: string): readonly number[] {
    const number = (term: string) => this.#terms.numberOf(term);
    return getOrMake(this.#names, name, () => nameTerms(name).map(number));
  }

  #post(term: number, document: number, weight: number): void {
    if (term >= this.#counts.length) this.#counts = new Uint32Array(this.#counts.buffer.transfer(8 * term));
    if (this.#counts[term]!++ === 0) this.#held.push(term);
    this.#postings.push(term, document, weight);
  }
}

class Postings {
  #terms = new Uint32Array(2 ** 16);
  #documents = new Uint32Array(2 ** 16);
  #weights = new Uint8Array(2 ** 16);
  #length = 0;

  push(term: number, document: number, weight: number): void {
    if (this.#length === this.#terms.length) {
      const size = this.#length * 2;
      this.#terms = new Uint32Array(this.#terms.buffer.transfer(size * 4));
      this.#documents = new Uint32Array(this.#documents.buffer.transfer(size * 4));
      this.#weights = new Uint8Array(this.#weights.buffer.transfer(size));
    }
    this.#terms[this.#length] = term;
    this.#documents[this.#length] = document;
    this.#weights[this.#length++] = weight;
  }

  byTerm(order: Uint32Array, counts: Uint32Array): GroupedPostings {
    const positions = new Uint32Array(counts.length);
    let total = 0;
    for (const term of order) {
      positions[term] = total;
      total += counts[term]!;
    }
    const documents = new Uint32Array(this.#length);
    const weights = new Uint8Array(this.#length);
    for (let at = 0; at < this.#length; at++) {
      const position = positions[this.#terms[at]!]!++;
      documents[position] = this.#documents[at]!;
      weights[position] = this.#weights[at]!;
    }
    return { documents, weights };
  }
}

export function inOrderOfBytes(numbers: Uint32Array, terms: Terms): Uint32Array {
  // Sorting numbers made of the first units and the position is many times faster than sorting strings.
  const keys = Float64Array.from(
    numbers,
    (number, position) => keyOf(terms.term(number)) * mostTerms + position,
  ).sort();
  const order = Uint32Array.from(keys, (key) => numbers[key % mostTerms]!);
  const startOf = (position: number) => Math.floor(keys[position]! / mostTerms);
  for (let first = 0; first < order.length; ) {
    let end = first + 1;
    while (end < order.length && startOf(end) === startOf(first)) end++;
    if (end - first > 1) sortAlike(order.subarray(first, end), terms);
    first = end;
  }
  return order;
}

const keyUnits = 5;
const mostTerms = 2 ** 23;

/** Returns a key with six bits for each of the first units. A term that sorts first never has a greater key. */
function keyOf(term: string): number {
  let key = 0;
  let isExact = true;
  for (let at = 0; at < keyUnits; at++) {
    const unit: number = isExact && at < term.length ? term.charCodeAt(at) : -1;
    isExact = unit < 128 && isFrequent[unit] === true;
    key = key * 64 + (unit < 0 ? 0 : unit < 128 ? rankOf[unit]! : 63);
  }
  return key;
}

/** These units have a rank. Any other unit has that of the next, and the units after it do not count. */
const isFrequent: readonly boolean[] = Array.from({ length: 128 }, (_, unit) =>
  /[0-9a-z_=@~]/.test(String.fromCharCode(unit)),
);
const rankOf: readonly number[] = isFrequent.map(
  (_, unit) => 1 + isFrequent.slice(0, unit).filter(Boolean).length,
);

function sortAlike(order: Uint32Array, terms: Terms): void {
  const sorted = Array.from(order, (number) => ({ number, term: terms.term(number) }));
  // Strings sort like their bytes, except for characters beyond the first plane.
  if (sorted.some(({ term }) => /[\ud800-\udfff]/.test(term)))
    sorted.sort((one, other) => Buffer.compare(Buffer.from(one.term), Buffer.from(other.term)));
  else sorted.sort((one, other) => (one.term < other.term ? -1 : 1));
  for (const [position, { number }] of sorted.entries()) order[position] = number;
}

export class TermEncoder {
  readonly #bytes = new Uint8Array(512);

  bytesOf(term: string): Uint8Array {
    if (term.length > this.#bytes.length) return Buffer.from(term);
    for (let at = 0; at < term.length; at++) {
      const unit = term.charCodeAt(at);
      if (unit >= 0x80) return Buffer.from(term);
      this.#bytes[at] = unit;
    }
    return this.#bytes.subarray(0, term.length);
  }
}
