import { setImmediate as nextTurn } from "node:timers/promises";
import { ToolError } from "../../contract/error.ts";
import { monotonicMs } from "../../text/clock.ts";

/** Long enough to cost nothing, short enough that nobody waits. */
const turnMs = 10;

/** Lets long work take turns with everything else, and end when it is no longer wanted. */
export class Turn {
  readonly #signal: AbortSignal;
  #ends = monotonicMs() + turnMs;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    throwIfUnwanted(signal);
  }

  get isOver(): boolean {
    return monotonicMs() >= this.#ends;
  }

  async next(): Promise<void> {
    await nextTurn();
    throwIfUnwanted(this.#signal);
    this.#ends = monotonicMs() + turnMs;
  }
}

/** Throws when `signal` has been aborted: the reason if it is one of ours, else `cancelled`. */
export function throwIfUnwanted(signal: AbortSignal): void {
  if (!signal.aborted) return;
  if (signal.reason instanceof ToolError) throw signal.reason;
  throw new ToolError("cancelled", "The call was cancelled", { cause: signal.reason });
}
