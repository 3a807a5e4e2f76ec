import type { Outline } from "../../contract/code.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";

/** The last outlines that were told, by the version of their text; the oldest are forgotten. */
export class LastOutlines {
  readonly #held = new BoundedCache<string, { readonly version: number; readonly outline: Outline }>({
    maxEntries: mostOutlines,
    maxWeight: mostSymbols,
    weigh: ({ outline }) => outline.symbols.length,
  });

  versionOf(text: string): number | undefined {
    return this.#held.get(text)?.version;
  }

  get(text: string, version: number | undefined): Outline | undefined {
    const held = this.#held.get(text);
    return held?.version === version ? held?.outline : undefined;
  }

  set(text: string, version: number, outline: Outline): void {
    this.#held.set(text, { version, outline });
  }
}

const mostOutlines = 8;
const mostSymbols = 50_000;
