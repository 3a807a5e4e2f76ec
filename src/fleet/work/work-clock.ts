import { monotonicMs } from "../../lib/clock.ts";

/** Measures the working time of a run in all deliveries, without the time that it waits for a provider. */
export class WorkClock {
  #before: number;
  #since: number | undefined;
  #waiting = 0;

  constructor(before: number) {
    this.#before = before;
    this.#since = monotonicMs();
  }

  get elapsedMs(): number {
    return Math.round(this.#before + (this.#since === undefined ? 0 : monotonicMs() - this.#since));
  }

  /** Stops the clock until the returned function is called; with several pauses, until all have ended. */
  pause(): () => void {
    this.#before = this.elapsedMs;
    this.#since = undefined;
    this.#waiting += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#since = monotonicMs();
    };
  }

  /** Calls `act` once when the time has come. Returns a function that ends this. */
  at(elapsedMs: number, act: () => void): () => void {
    const timer = setInterval(() => {
      if (this.elapsedMs < elapsedMs) return;
      clearInterval(timer);
      act();
    }, lookMs);
    return () => clearInterval(timer);
  }
}

const lookMs = 250;
