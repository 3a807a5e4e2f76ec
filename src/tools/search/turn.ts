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
    this.#throwIfUnwanted();
  }

  get isOver(): boolean {
    return monotonicMs() >= this.#ends;
  }

  async next(): Promise<void> {
    await nextTurn();
    this.#throwIfUnwanted();
    this.#ends = monotonicMs() + turnMs;
  }

  #throwIfUnwanted(): void {
    if (!this.#signal.aborted) return;
    if (this.#signal.reason instanceof ToolError) throw this.#signal.reason;
    throw new ToolError("cancelled", "The call was cancelled", { cause: this.#signal.reason });
  }
}
