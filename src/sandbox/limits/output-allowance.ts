import { describeMetLimit } from "./met-limit.ts";

/** What one command may print whose shell goes on: it is ended, not the shell. */
export class OutputAllowance {
  readonly #allowed: number;
  readonly #ending = new AbortController();
  #used = 0;

  constructor(bytes: number) {
    this.#allowed = bytes;
  }

  /** Aborted when it has printed more. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** What a person should know of it. */
  get remarks(): readonly string[] {
    if (!this.signal.aborted) return [];
    const used = { allowed: this.#allowed, used: this.#used };
    return [describeMetLimit({ limit: "outputBytes", ...used, wasEnded: true })];
  }

  take(bytes: number): void {
    if (this.signal.aborted) return;
    this.#used += bytes;
    if (this.#used > this.#allowed) this.#ending.abort();
  }
}
