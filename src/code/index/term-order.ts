import type { Terms } from "../search/words.ts";

/** Numbers of terms in the order of their bytes. */
export function inOrderOfBytes(numbers: Uint32Array, terms: Terms): Uint32Array {
  // Sorted by their first units, each with its place behind it: numbers are sorted many times quicker than strings.
  const keys = Float64Array.from(
    numbers,
    (number, place) => keyOf(terms.term(number)) * mostTerms + place,
  ).sort();
  const order = Uint32Array.from(keys, (key) => numbers[key % mostTerms]!);
  const startOf = (place: number) => Math.floor(keys[place]! / mostTerms);
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

/** Of the first units, six bits each. What comes first by its bytes has no greater key. */
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

/** Each of the others has the rank of the next of these, and what follows it says nothing. */
const isFrequent: readonly boolean[] = Array.from({ length: 128 }, (_, unit) =>
  /[0-9a-z_=@~]/.test(String.fromCharCode(unit)),
);
const rankOf: readonly number[] = isFrequent.map(
  (_, unit) => 1 + isFrequent.slice(0, unit).filter(Boolean).length,
);

function sortAlike(order: Uint32Array, terms: Terms): void {
  const sorted = Array.from(order, (number) => ({ number, term: terms.term(number) }));
  // In the same order as their bytes but for characters beyond the first plane.
  if (sorted.some(({ term }) => /[\ud800-\udfff]/.test(term)))
    sorted.sort((one, other) => Buffer.compare(Buffer.from(one.term), Buffer.from(other.term)));
  else sorted.sort((one, other) => (one.term < other.term ? -1 : 1));
  for (const [place, { number }] of sorted.entries()) order[place] = number;
}

/** Makes bytes of terms, one after the other in the same place. */
export class TermEncoder {
  readonly #bytes = new Uint8Array(512);

  /** Good until the next is asked for. */
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
