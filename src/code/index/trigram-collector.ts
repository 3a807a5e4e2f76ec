import { type Segment, SegmentWriter } from "./segment-writer.ts";
import { byteClasses, trigramCount, trigramTerm } from "./trigrams.ts";

/** Gathers the trigrams of texts, and writes for each trigram which texts hold it. One is used again and again. */
export class TrigramCollector {
  /** A bit for each trigram that the text at hand has shown already. */
  readonly #seen = new Uint32Array(trigramCount / 32);
  /** How many texts hold each trigram, and those that any holds. */
  readonly #counts = new Uint32Array(trigramCount);
  readonly #held: number[] = [];
  /** The trigrams of one text after the other. */
  #trigrams = new Uint32Array(2 ** 20);
  #length = 0;
  /** Where those of each text end. */
  readonly #ends: number[] = [];

  add(bytes: Uint8Array): void {
    const seen = this.#seen;
    const counts = this.#counts;
    const classes = byteClasses;
    const start = this.#length;
    this.#reserve(bytes.length);
    const trigrams = this.#trigrams;
    let length = start;
    let trigram = bytes.length < 3 ? 0 : (classes[bytes[0]!]! << 7) | classes[bytes[1]!]!;
    for (let at = 2; at < bytes.length; at++) {
      trigram = ((trigram << 7) | classes[bytes[at]!]!) & 0x1fffff;
      const word = trigram >> 5;
      const bit = 1 << (trigram & 31);
      if ((seen[word]! & bit) !== 0) continue;
      seen[word]! |= bit;
      if (counts[trigram]!++ === 0) this.#held.push(trigram);
      trigrams[length++] = trigram;
    }
    for (let at = start; at < length; at++) seen[trigrams[at]! >> 5] = 0;
    this.#length = length;
    this.#ends.push(length);
  }

  /** The segment of all texts since the last one, numbered in their order. */
  write(): Segment {
    const counts = this.#counts;
    const held = Uint32Array.from(this.#held).sort();
    const postings = new Uint32Array(this.#length);
    // From here on a count is where the next text of that trigram goes.
    let total = 0;
    for (const trigram of held) {
      const count = counts[trigram]!;
      counts[trigram] = total;
      total += count;
    }
    let at = 0;
    for (let document = 0; document < this.#ends.length; document++) {
      for (const end = this.#ends[document]!; at < end; at++) {
        postings[counts[this.#trigrams[at]!]!++] = document;
      }
    }
    const writer = new SegmentWriter(this.#ends.length, { weighted: false });
    const term = new Uint8Array(3);
    let start = 0;
    for (const trigram of held) {
      const end = counts[trigram]!;
      writer.add(trigramTerm(trigram, term), postings, undefined, { start, end });
      start = end;
    }
    this.clear();
    return writer.done();
  }

  clear(): void {
    for (const trigram of this.#held) this.#counts[trigram] = 0;
    this.#held.length = 0;
    this.#length = 0;
    this.#ends.length = 0;
  }

  #reserve(more: number): void {
    const needed = this.#length + Math.min(more, trigramCount);
    if (needed <= this.#trigrams.length) return;
    const larger = new Uint32Array(Math.max(needed, this.#trigrams.length * 2));
    larger.set(this.#trigrams.subarray(0, this.#length));
    this.#trigrams = larger;
  }
}
