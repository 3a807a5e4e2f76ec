import type { CachedPage, PageMemory } from "../contract/web.ts";
import { BoundedCache } from "../lib/bounded-cache.ts";

/** The pages that were fetched last, within bounds. */
export class PageCache implements PageMemory {
  readonly #maxBytes: number;
  readonly #pages: BoundedCache<string, CachedPage>;

  constructor(options: { readonly maxBytes: number } = { maxBytes: 32 * 1024 * 1024 }) {
    this.#maxBytes = options.maxBytes;
    this.#pages = new BoundedCache({ maxWeight: options.maxBytes, weigh: sizeOf });
  }

  get(url: string): CachedPage | undefined {
    return this.#pages.get(url);
  }

  keep(url: string, page: CachedPage): void {
    if (sizeOf(page) > this.#maxBytes) this.forget(url);
    else this.#pages.set(url, page);
  }

  forget(url: string): void {
    this.#pages.delete(url);
  }
}

/** Estimates the size of a page. Headers count too, because a server may send more in headers than in pages. */
function sizeOf({ answer }: CachedPage): number {
  const headers = Object.entries(answer.headers);
  return headers.reduce((sum, [name, value]) => sum + name.length + value.length, answer.body.length + 1000);
}
