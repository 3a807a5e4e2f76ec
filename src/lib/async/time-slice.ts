import { setImmediate as nextTurn } from "node:timers/promises";
import { monotonicMs } from "../clock.ts";
import { throwIfAborted } from "./abort.ts";

// A slice is long enough to cost nothing and short enough that other work does not wait noticeably.
const sliceMs = 10;

/** Lets long synchronous work yield to the event loop after each time slice, and stop when it is cancelled. */
export class TimeSlice {
  readonly #signal: AbortSignal | undefined;
  #end = monotonicMs() + sliceMs;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
    throwIfAborted(signal);
  }

  /** True when the slice is used up. The caller then awaits `next`. */
  get isOver(): boolean {
    return monotonicMs() >= this.#end;
  }

  /** Lets other work run, then starts a new slice. */
  async next(): Promise<void> {
    await nextTurn();
    throwIfAborted(this.#signal);
    this.#end = monotonicMs() + sliceMs;
  }
}
