import { BoundedCache } from "../../lib/bounded-cache.ts";
import { changeBetween, type TextChange } from "./text-change.ts";

/** A state of a text, whole or as a change to a state that was sent before. */
export interface SentState {
  readonly version: number;
  readonly sent: string | (TextChange & { readonly base: number });
}

/** What a host has been sent, so that of a text that it knows it is sent only what has changed. */
export class SentTexts {
  readonly #last = new BoundedCache<string, Last>({
    maxEntries: mostTexts,
    maxWeight: mostUnits,
    weigh: ({ text }) => text.length,
  });
  #versions = 0;

  /** `process` tells which host gets it: what one knows, the next does not. */
  next(
    { path, language, text }: { readonly path: string; readonly language: string; readonly text: string },
    process: number,
    how: "changes" | "whole",
  ): SentState {
    const key = keyOf({ path, language });
    const last = how === "changes" ? this.#last.get(key) : undefined;
    const before = last?.process === process ? last : undefined;
    const version = before?.text === text ? before.version : ++this.#versions;
    this.#last.set(key, { process, version, text });
    return { version, sent: before ? { ...changeBetween(before.text, text), base: before.version } : text };
  }
}

/** Names a text, of which there may be many states. */
export function keyOf({ path, language }: { readonly path: string; readonly language: string }): string {
  return `${language}\0${path}`;
}

interface Last {
  readonly process: number;
  readonly version: number;
  readonly text: string;
}

/** A host holds a few more trees, so that it is seldom asked for one that it has let go. */
const mostTexts = 8;
const mostUnits = 3_000_000;
