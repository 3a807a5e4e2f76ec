import { ToolError } from "../contract/error.ts";

/** So many at once; the others in the order in which they came. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Answers with what gives the turn back; `about` is for the error of who does not want to wait any longer. */
  async take(signal: AbortSignal, about: string): Promise<() => void> {
    if (signal.aborted) throw cancelled(signal, about);
    if (this.#free > 0) this.#free -= 1;
    else {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      try {
        await untilCancelled(promise, signal, about);
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

/** Does not wait any longer when it is cancelled; what was waited for goes on. */
export async function untilCancelled<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  about: string,
): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(cancelled(signal, about));
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    if (signal.aborted) onAbort();
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

export function cancelled({ reason }: AbortSignal, about: string): ToolError {
  if (reason instanceof ToolError) return reason;
  return new ToolError("cancelled", `The call was cancelled while ${about} was read`);
}
