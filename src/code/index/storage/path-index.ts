/**
 * Finds the rows of paths in a table that holds the paths. A `Map` and a string for each of many thousand files would
 * take several times the memory.
 */
export class PathIndex {
  readonly #pathAt: (row: number) => string;
  /** Two numbers for each slot: what it holds (see `firstRow`) and the hash of the path. */
  #slots = new Uint32Array(2 * fewestSlots);
  /** The number of slots that are not empty. */
  #used = 0;
  #size = 0;

  constructor(pathAt: (row: number) => string) {
    this.#pathAt = pathAt;
  }

  get size(): number {
    return this.#size;
  }

  get(path: string): number | undefined {
    const slot = this.#find(path, hashOf(path));
    return slot < 0 ? undefined : this.#slots[slot]! - firstRow;
  }

  /** Adds a path. Its row replaces an earlier one of the same path. */
  set(path: string, row: number): void {
    const hash = hashOf(path);
    const slot = this.#find(path, hash);
    if (slot >= 0) this.#slots[slot] = row + firstRow;
    else this.#add(row, hash);
  }

  delete(path: string): void {
    const slot = this.#find(path, hashOf(path));
    if (slot < 0) return;
    this.#slots[slot] = removed;
    this.#size--;
  }

  /** Returns the slot of a path, or -1. */
  #find(path: string, hash: number): number {
    const slots = this.#slots;
    const last = slots.length - 2;
    for (let slot = (2 * hash) & last; slots[slot] !== empty; slot = (slot + 2) & last) {
      const held = slots[slot]!;
      if (slots[slot + 1] === hash && held !== removed && this.#pathAt(held - firstRow) === path) return slot;
    }
    return -1;
  }

  #add(row: number, hash: number): void {
    if (6 * (this.#used + 1) > 2 * this.#slots.length) this.#rehash();
    const slots = this.#slots;
    const last = slots.length - 2;
    let slot = (2 * hash) & last;
    while (slots[slot] !== empty) slot = (slot + 2) & last;
    slots[slot] = row + firstRow;
    slots[slot + 1] = hash;
    this.#used++;
    this.#size++;
  }

  /** Grows the table, and forgets removed paths. */
  #rehash(): void {
    const before = this.#slots;
    let slots = fewestSlots;
    while (slots < 2 * (this.#size + 1)) slots *= 2;
    this.#slots = new Uint32Array(2 * slots);
    this.#used = 0;
    this.#size = 0;
    for (let slot = 0; slot < before.length; slot += 2)
      if (before[slot]! >= firstRow) this.#add(before[slot]! - firstRow, before[slot + 1]!);
  }
}

const fewestSlots = 64;
/** A slot holds nothing, a removed path, or a row plus `firstRow`. */
const empty = 0;
const removed = 1;
const firstRow = 2;

/** Differs in each process, so that no workspace can have names with equal hashes on purpose. */
const seed = (Math.random() * 2 ** 32) >>> 0;

function hashOf(path: string): number {
  let hash = seed;
  for (let at = 0; at < path.length; at++) hash = Math.imul(hash ^ path.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
