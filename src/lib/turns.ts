import type { ToolError } from "../contract/error.ts";
import { abortError, untilAborted } from "./abort.ts";

/** So many at once; the others in the order in which they came. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Answers with what gives the turn back; `about` is for the error of who does not want to wait any longer. */
  async take(signal: AbortSignal, about: string): Promise<() => void> {
    if (signal.aborted) throw whileReading(about)(signal);
    if (this.#free > 0) this.#free -= 1;
    else {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      try {
        await untilAborted(promise, signal, whileReading(about));
      } catch (error) {
        const at = this.#waiting.indexOf(resolve);
        if (at === -1) this.#release();
        else this.#waiting.splice(at, 1);
        throw error;
      }
    }
    return () => this.#release();
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}

/** How waiting for the reading of a file ends when its call is cancelled. */
export function whileReading(about: string): (signal: AbortSignal) => ToolError {
  return (signal) => abortError(signal, `The call was cancelled while ${about} was read`);
}
