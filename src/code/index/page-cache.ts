/** Holds the pages that were read last, up to a number of bytes. */
export class PageCache {
  readonly #pages = new Map<number, Uint8Array>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(place: number, read: () => Uint8Array): Uint8Array {
    const held = this.#pages.get(place);
    if (held !== undefined) {
      this.#pages.delete(place);
      this.#pages.set(place, held);
      return held;
    }
    const page = read();
    this.#pages.set(place, page);
    this.#bytes += page.length;
    for (const [old, bytes] of this.#pages) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#pages.delete(old);
      this.#bytes -= bytes.length;
    }
    return page;
  }

  clear(): void {
    this.#pages.clear();
    this.#bytes = 0;
  }
}
