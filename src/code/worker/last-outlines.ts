import type { Outline } from "../../contract/code.ts";

/** The last outlines that were told, by the version of their text; the oldest are forgotten. */
export class LastOutlines {
  readonly #held = new Map<string, { readonly version: number; readonly outline: Outline }>();

  versionOf(text: string): number | undefined {
    return this.#held.get(text)?.version;
  }

  get(text: string, version: number | undefined): Outline | undefined {
    const held = this.#held.get(text);
    return held?.version === version ? held?.outline : undefined;
  }

  set(text: string, version: number, outline: Outline): void {
    this.#held.delete(text);
    this.#held.set(text, { version, outline });
    let symbols = 0;
    for (const held of this.#held.values()) symbols += held.outline.symbols.length;
    for (const [oldest, held] of this.#held) {
      if (oldest === text || (this.#held.size <= mostOutlines && symbols <= mostSymbols)) break;
      this.#held.delete(oldest);
      symbols -= held.outline.symbols.length;
    }
  }
}

const mostOutlines = 8;
const mostSymbols = 50_000;
