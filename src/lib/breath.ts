import { setImmediate as nextTurn } from "node:timers/promises";
import { throwIfAborted } from "./abort.ts";
import { monotonicMs } from "./clock.ts";

// Long enough to cost nothing, short enough that nobody waits.
const turnMs = 10;

/** Lets long synchronous work take turns with everything else, and end when it is no longer wanted. */
export class Breath {
  readonly #signal: AbortSignal | undefined;
  #turnEnds = monotonicMs() + turnMs;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
    throwIfAborted(signal);
  }

  /** Whether this turn has lasted long enough; then await `take`. */
  get isDue(): boolean {
    return monotonicMs() >= this.#turnEnds;
  }

  async take(): Promise<void> {
    await nextTurn();
    throwIfAborted(this.#signal);
    this.#turnEnds = monotonicMs() + turnMs;
  }
}
