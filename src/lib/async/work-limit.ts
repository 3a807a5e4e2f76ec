import { monotonicMs } from "../clock.ts";

export interface WorkLimits {
  /** Of processor time of this process. On a busy machine, the same work takes the same processor time. */
  readonly maxCpuMs: number;
  /** Of time, for work that waits, for example for a slow disk. */
  readonly maxMs: number;
}

/** Limits work that observes its signal. */
export class WorkLimit {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor({ maxCpuMs, maxMs }: WorkLimits) {
    const [begun, end] = [process.cpuUsage(), monotonicMs() + maxMs];
    this.#timer = setInterval(
      () => {
        const { user, system } = process.cpuUsage(begun);
        if ((user + system) / 1000 > maxCpuMs || monotonicMs() >= end) this.#controller.abort();
      },
      Math.min(maxMs, maxCpuMs, checkMs),
    );
    this.#timer.unref();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(): void {
    clearInterval(this.#timer);
  }
}

const checkMs = 250;
