export interface CacheBounds<Value> {
  readonly maxEntries?: number;
  /** The limit for all values together, as counted by `weigh`. */
  readonly maxWeight?: number;
  readonly weigh?: (value: Value) => number;
  /** Keeps the newest entry even when it alone exceeds `maxWeight`, because it is still in use. */
  readonly keepsNewest?: boolean;
  /** Called for every value that is evicted, cleared, or replaced by another one. */
  readonly dispose?: (value: Value) => void;
}

/** Keeps the newest entries within bounds. Without `keepsNewest`, an entry heavier than `maxWeight` is not stored. */
export class BoundedCache<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #bounds: CacheBounds<Value>;
  #weight = 0;

  constructor(bounds: CacheBounds<Value>) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#entries.size;
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  /** Returns a value without counting it as used: only `set` and `use` make an entry the newest. */
  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  /** Like `get`, and makes the entry the newest, so that it is evicted last. */
  use(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    const before = this.delete(key);
    if (before !== undefined && before !== value) this.#bounds.dispose?.(before);
    this.#entries.set(key, value);
    this.#weight += this.#weigh(value);
    this.#evict();
  }

  /** Returns the removed value without disposing of it. */
  delete(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#weight -= this.#weigh(value);
    return value;
  }

  clear(): void {
    const { dispose } = this.#bounds;
    if (dispose !== undefined) for (const value of this.#entries.values()) dispose(value);
    this.#entries.clear();
    this.#weight = 0;
  }

  entries(): MapIterator<[Key, Value]> {
    return this.#entries.entries();
  }

  /** Returns the values, oldest first. */
  values(): MapIterator<Value> {
    return this.#entries.values();
  }

  #weigh(value: Value): number {
    return this.#bounds.weigh?.(value) ?? 0;
  }

  #evict(): void {
    const { maxEntries = Infinity, maxWeight = Infinity, keepsNewest, dispose } = this.#bounds;
    if (this.#entries.size <= maxEntries && this.#weight <= maxWeight) return;
    for (const [oldest, value] of this.#entries) {
      if (keepsNewest && this.#entries.size <= 1) return;
      this.delete(oldest);
      dispose?.(value);
      if (this.#entries.size <= maxEntries && this.#weight <= maxWeight) return;
    }
  }
}

/** Caches results by key. Clears the whole cache when it is full, which is cheap on a hot path. */
export function boundedMemo<Given, Result>(
  maxEntries: number,
  compute: (given: Given) => Result,
  keyOf: (given: Given) => unknown = (given) => given,
): (given: Given) => Result {
  const known = new Map<unknown, Result>();
  return (given) => {
    const key = keyOf(given);
    const before = known.get(key);
    if (before !== undefined || known.has(key)) return before as Result;
    const result = compute(given);
    if (known.size >= maxEntries) known.clear();
    known.set(key, result);
    return result;
  };
}
