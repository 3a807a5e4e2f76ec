import { monotonicMs } from "../../lib/clock.ts";

/** How long the terminal must have been silent before a key counts as an answer. */
export const quietMs = 700;

/**
 * Tells answers from typing that was meant for something else: a key answers a question only when no other key came
 * since the question appeared, and none for a while before it.
 */
export class QuietKeys {
  readonly #now: () => number;
  #lastAt: number;

  /** The question appears now. */
  constructor(now: () => number = monotonicMs) {
    this.#now = now;
    this.#lastAt = now();
  }

  /** Whether a key that is pressed now would count. */
  get isQuiet(): boolean {
    return this.#now() - this.#lastAt >= quietMs;
  }

  /** Notes a key. Returns whether it may answer. */
  press(): boolean {
    const mayAnswer = this.isQuiet;
    this.#lastAt = this.#now();
    return mayAnswer;
  }
}
