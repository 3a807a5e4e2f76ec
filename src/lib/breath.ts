import { setImmediate as nextTurn } from "node:timers/promises";
import { throwIfAborted } from "./abort.ts";
import { monotonicMs } from "./clock.ts";

// Long enough to cost nothing, short enough that other work does not wait noticeably.
const turnMs = 10;

/** Lets long synchronous work yield to other work now and then, and end when it is cancelled. */
export class Breath {
  readonly #signal: AbortSignal | undefined;
  #turnEnds = monotonicMs() + turnMs;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
    throwIfAborted(signal);
  }

  /** Whether it is time to yield: then await `take`. */
  get isDue(): boolean {
    return monotonicMs() >= this.#turnEnds;
  }

  async take(): Promise<void> {
    await nextTurn();
    throwIfAborted(this.#signal);
    this.#turnEnds = monotonicMs() + turnMs;
  }
}
