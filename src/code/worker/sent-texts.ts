import { BoundedCache } from "../../lib/bounded-cache.ts";
export interface SentState {
  readonly version: number;
  readonly sent: string | (TextChange & { readonly base: number });
}

export class SentTexts {
  readonly #last = new BoundedCache<string, { process: number; version: number; text: string }>({
    maxEntries: mostTexts,
    maxWeight: mostUnits,
    weigh: ({ text }) => text.length,
    keepsNewest: true,
  });
  #versions = 0;

  /** Returns what to send for a text. `process` is the number of the worker process; a new process has no texts. */
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

export function keyOf({ path, language }: { readonly path: string; readonly language: string }): string {
  return `${language}\0${path}`;
}

/** The worker caches a few more trees than this, so that it rarely asks for a text again. */
const mostTexts = 8;
const mostUnits = 3_000_000;

/** A change that replaces `start` to `oldEnd` with `text`, in UTF-16 units. */
export interface TextChange {
  readonly start: number;
  readonly oldEnd: number;
  readonly text: string;
}

/** Returns the smallest change that splits no surrogate pair. */
export function changeBetween(before: string, after: string): TextChange {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  // Large pieces are compared first, because comparing strings is far faster than comparing single units.
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
