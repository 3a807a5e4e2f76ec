import { setImmediate as nextTurn } from "node:timers/promises";
import { ToolError } from "../contract/error.ts";
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

/** Throws when `signal` has been aborted: the reason if it is one of ours (a deadline), else `cancelled`. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  if (signal.reason instanceof ToolError) throw signal.reason;
  throw new ToolError("cancelled", "The call was cancelled", { cause: signal.reason });
}
