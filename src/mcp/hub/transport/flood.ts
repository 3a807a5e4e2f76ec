import { monotonicMs } from "../../../lib/clock.ts";

/** Knows a server that talks without end from one that has much to say. */
export class Flood {
  readonly #maxMessages: number;
  #messages = 0;
  #began = monotonicMs();

  constructor(maxMessages = 100_000) {
    this.#maxMessages = maxMessages;
  }

  /** Counts a message; whether it is one too many. */
  rises(): boolean {
    this.#messages += 1;
    // The clock is asked for once in a while only.
    if (this.#messages <= this.#maxMessages) return false;
    const now = monotonicMs();
    if (now - this.#began <= spanMs) return true;
    this.#began = now;
    this.#messages = 1;
    return false;
  }
}

const spanMs = 10_000;
