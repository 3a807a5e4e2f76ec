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
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= 8) break;
      this.#held.delete(oldest);
    }
  }
}
