import type { KeptPage, PageMemory } from "../contract/web.ts";

/** The pages fetched last, within bounds. */
export class KeptPages implements PageMemory {
  readonly #maxBytes: number;
  /** The latest last. */
  readonly #pages = new Map<string, KeptPage>();
  #bytes = 0;

  constructor(options: { readonly maxBytes: number } = { maxBytes: 32 * 1024 * 1024 }) {
    this.#maxBytes = options.maxBytes;
  }

  get(url: string): KeptPage | undefined {
    return this.#pages.get(url);
  }

  keep(url: string, page: KeptPage): void {
    this.forget(url);
    if (sizeOf(page) > this.#maxBytes) return;
    this.#pages.set(url, page);
    this.#bytes += sizeOf(page);
    for (const oldest of this.#pages.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.forget(oldest);
    }
  }

  forget(url: string): void {
    const page = this.#pages.get(url);
    if (page === undefined) return;
    this.#pages.delete(url);
    this.#bytes -= sizeOf(page);
  }
}

/** About: a server may say more in its headers than in its pages. */
function sizeOf({ answer }: KeptPage): number {
  const headers = Object.entries(answer.headers);
  return headers.reduce((sum, [name, value]) => sum + name.length + value.length, answer.body.length + 1000);
}
