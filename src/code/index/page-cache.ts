import { BoundedCache } from "../../lib/bounded-cache.ts";

/** Holds the pages that were read last, up to a number of bytes. */
export class PageCache {
  readonly #pages: BoundedCache<number, Uint8Array>;

  constructor(maxBytes: number) {
    this.#pages = new BoundedCache({ maxWeight: maxBytes, weigh: ({ length }) => length });
  }

  get(place: number, read: () => Uint8Array): Uint8Array {
    const held = this.#pages.use(place);
    if (held !== undefined) return held;
    const page = read();
    this.#pages.set(place, page);
    return page;
  }

  clear(): void {
    this.#pages.clear();
  }
}
