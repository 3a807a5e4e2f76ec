import { BoundedCache } from "../../lib/bounded-cache.ts";
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

/** What makes one text of another: `text` in place of all from `start` to `oldEnd`. In UTF-16 units. */
export interface TextChange {
  readonly start: number;
  readonly oldEnd: number;
  readonly text: string;
}

/** The smallest change, but for pairs of surrogates, which are not torn apart. */
export function changeBetween(before: string, after: string): TextChange {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  // Whole pieces first: comparing strings is far quicker than comparing their units one by one.
  for (let piece = 4096; piece >= 1; piece = Math.floor(piece / 8)) {
    while (
      start + piece <= shorter &&
      before.slice(start, start + piece) === after.slice(start, start + piece)
    )
      start += piece;
  }
  if (isHigh(before, start - 1)) start -= 1;
  let tail = 0;
  for (let piece = 4096; piece >= 1; piece = Math.floor(piece / 8)) {
    while (
      tail + piece <= shorter - start &&
      before.slice(before.length - tail - piece, before.length - tail) ===
        after.slice(after.length - tail - piece, after.length - tail)
    )
      tail += piece;
  }
  if (isLow(before, before.length - tail)) tail -= 1;
  return { start, oldEnd: before.length - tail, text: after.slice(start, after.length - tail) };
}

export function changed(before: string, { start, oldEnd, text }: TextChange): string {
  return before.slice(0, start) + text + before.slice(oldEnd);
}

function isHigh(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000;
}
