/**
 * Whole numbers in the order in which they were added. A `Set` of many thousand would take ten times the memory. Do not add
 * a removed number again before `clear`. Iterate with one loop at a time.
 */
export class NumberSet implements Iterable<number> {
  #order = new Uint32Array(fewest);
  #length = 0;
  /** All positions before this one are of removed numbers. */
  #first = 0;
  readonly #members = new Bits();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(number: number): boolean {
    return this.#members.has(number);
  }

  add(number: number): void {
    if (this.#members.has(number)) return;
    this.#members.set(number, true);
    this.#size++;
    if (this.#length === this.#order.length)
      this.#order = new Uint32Array(this.#order.buffer.transfer(this.#length * 4 * 2));
    this.#order[this.#length++] = number;
  }

  delete(number: number): void {
    if (!this.#members.has(number)) return;
    this.#members.set(number, false);
    this.#size--;
  }

  clear(): void {
    this.#order = new Uint32Array(fewest);
    this.#length = 0;
    this.#first = 0;
    this.#members.clear();
    this.#size = 0;
  }

  *[Symbol.iterator](): Generator<number> {
    if (this.#length > 2 * this.#size + fewest) this.#forgetRemoved();
    while (this.#first < this.#length && !this.has(this.#order[this.#first]!)) this.#first++;
    for (let at = this.#first; at < this.#length; at++) {
      const number = this.#order[at]!;
      if (this.has(number)) yield number;
    }
  }

  /** Otherwise each loop would skip them all. */
  #forgetRemoved(): void {
    let kept = 0;
    for (let at = 0; at < this.#length; at++) {
      const number = this.#order[at]!;
      if (this.has(number)) this.#order[kept++] = number;
    }
    this.#length = kept;
    this.#first = 0;
  }
}

/** Whole numbers in no order. Takes one bit for each number up to the largest. */
export class Bits {
  #words = new Uint32Array(fewest);

  has(number: number): boolean {
    return ((this.#words[number >>> 5] ?? 0) & (1 << (number & 31))) !== 0;
  }

  set(number: number, isSet: boolean): void {
    const word = number >>> 5;
    if (word >= this.#words.length)
      this.#words = new Uint32Array(this.#words.buffer.transfer((word + 1) * 4 * 2));
    if (isSet) this.#words[word]! |= 1 << (number & 31);
    else this.#words[word]! &= ~(1 << (number & 31));
  }

  clear(): void {
    this.#words = new Uint32Array(fewest);
  }
}

const fewest = 16;
