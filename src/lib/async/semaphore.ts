import type { ToolError } from "../../contract/error.ts";
import { abortError, untilAborted } from "./abort.ts";

/**
 * Runs a limited number of tasks at once. Users who wait take turns, so that many tasks of one user delay another user by
 * one task. The tasks of one user run in order of arrival.
 */
export class Semaphore {
  /** The user who is next comes first. */
  readonly #waiting = new Map<unknown, (() => void)[]>();
  #free: number;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /**
   * Returns a function that releases the slot; later calls of it do nothing. `failure` returns the error of a cancelled
   * wait. Without `user`, the task belongs to one common user.
   */
  async take(
    signal: AbortSignal,
    failure: (signal: AbortSignal) => ToolError,
    user?: object,
  ): Promise<() => void> {
    if (signal.aborted) throw failure(signal);
    if (this.#free > 0) this.#free -= 1;
    else {
      const { promise, resolve } = Promise.withResolvers<void>();
      const tasks = this.#waiting.get(user) ?? [];
      tasks.push(resolve);
      this.#waiting.set(user, tasks);
      try {
        await untilAborted(promise, signal, failure);
      } catch (error) {
        if (!this.#forget(user, resolve)) this.#release();
        throw error;
      }
    }
    let isHeld = true;
    return () => {
      if (isHeld) this.#release();
      isHeld = false;
    };
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    const [user, tasks] = next;
    const task = tasks.shift()!;
    this.#waiting.delete(user);
    // Behind all other users.
    if (tasks.length > 0) this.#waiting.set(user, tasks);
    task();
  }

  /** Whether it was still waiting. */
  #forget(user: unknown, task: () => void): boolean {
    const tasks = this.#waiting.get(user) ?? [];
    const at = tasks.indexOf(task);
    if (at !== -1) tasks.splice(at, 1);
    if (tasks.length === 0) this.#waiting.delete(user);
    return at !== -1;
  }
}

/** Returns a `failure` whose error names the file that was being read. */
export function whileReading(about: string): (signal: AbortSignal) => ToolError {
  return (signal) => abortError(signal, `The call was cancelled while ${about} was read`);
}
