import { NumberList } from "./number-list.ts";

/**
 * Numbers stretches of texts from 0, the same ones alike. It hashes and compares their units in place: to make a string of
 * each would take longer than all the rest of reading a text for its words.
 */
export class StretchTable {
  /** One more than the number of what is there; a power of two of them, at most half of them taken. */
  #slots = new Uint32Array(2 ** 12);
  #units = new Uint16Array(2 ** 14);
  readonly #hashes = new NumberList();
  /** Where the units of each begin; those of the last end where the next would begin. */
  readonly #starts = new NumberList();

  constructor() {
    this.#starts.push(0);
  }

  get size(): number {
    return this.#hashes.length;
  }

  /** `hash` is that of `addToHash` over its units. New ones get the next number. */
  numberOf(text: string, start: number, end: number, hash: number): number {
    const spread = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
    const slots = this.#slots;
    const last = slots.length - 1;
    let slot = spread & last;
    for (let found = slots[slot]!; found > 0; found = slots[slot]!) {
      if (this.#hashes.numbers[found - 1] === spread && this.#is(found - 1, text, start, end))
        return found - 1;
      slot = (slot + 1) & last;
    }
    slots[slot] = this.#add(text, start, end, spread) + 1;
    if (this.size * 2 > slots.length) this.#spreadOut();
    return this.size - 1;
  }

  #is(number: number, text: string, start: number, end: number): boolean {
    const first = this.#starts.numbers[number]!;
    if (this.#starts.numbers[number + 1]! - first !== end - start) return false;
    const units = this.#units;
    for (let at = start; at < end; at++) if (text.charCodeAt(at) !== units[first + at - start]) return false;
    return true;
  }

  #add(text: string, start: number, end: number, spread: number): number {
    const first = this.#starts.numbers[this.size]!;
    if (first + end - start > this.#units.length) {
      const larger = new Uint16Array(this.#units.length * 2);
      larger.set(this.#units);
      this.#units = larger;
    }
    for (let at = start; at < end; at++) this.#units[first + at - start] = text.charCodeAt(at);
    this.#starts.push(first + end - start);
    this.#hashes.push(spread);
    return this.size - 1;
  }

  #spreadOut(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    const last = slots.length - 1;
    for (let number = 0; number < this.size; number++) {
      let slot = this.#hashes.numbers[number]! & last;
      while (slots[slot]! > 0) slot = (slot + 1) & last;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}

/** Another in each process, so that no file can be written whose words all have the same hash. */
export const firstHash: number = (Math.random() * 2 ** 32) | 0;

export function addToHash(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}
