import type { ToolError } from "../../contract/error.ts";
import { abortError, untilAborted } from "./abort.ts";

/** Runs a limited number of tasks at once. The others wait in order of arrival. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Returns a function that releases the slot. `about` names the file in the error of a cancelled wait. */
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

/** Returns a `failure` for `untilAborted` whose error names the file that was being read. */
export function whileReading(about: string): (signal: AbortSignal) => ToolError {
  return (signal) => abortError(signal, `The call was cancelled while ${about} was read`);
}
