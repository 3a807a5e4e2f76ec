import type { Socket } from "node:net";
import { ToolError } from "../../contract/error.ts";
import { abortError } from "../../lib/async/abort.ts";

export interface DeadlineLimits {
  /** The limit from the first step to the last byte. */
  readonly totalMs: number;
  /** The longest time without a byte from the server. */
  readonly idleMs: number;
}

/** Aborts an exchange that is cancelled, takes too long, or whose server is silent. */
export class ExchangeDeadline {
  readonly #name: string;
  readonly #limits: DeadlineLimits;
  readonly #over = Promise.withResolvers<never>();
  readonly end: () => void;
  /** The reason why the exchange was aborted, if it was. */
  reason: ToolError | undefined;

  constructor(name: string, limits: DeadlineLimits, signal: AbortSignal) {
    this.#name = name;
    this.#limits = limits;
    // The promise may reject while no step awaits it.
    this.#over.promise.catch(() => {});
    const { totalMs } = limits;
    const late = `${name} did not send its whole response within ${totalMs / 1000} s`;
    const hint = "Try again later, or fetch something smaller.";
    const timer = setTimeout(() => this.#fail(new ToolError("timeout", late, { hint })), totalMs);
    const onAbort = () => this.#fail(abortError(signal));
    signal.addEventListener("abort", onAbort, { once: true });
    this.end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
  }

  /** Waits for a step, at most until the deadline. */
  during<Result>(step: Promise<Result>): Promise<Result> {
    // An abandoned step fails later, when the connection is closed.
    step.catch(() => {});
    return Promise.race([step, this.#over.promise]);
  }

  /** Aborts the exchange when this connection is silent for too long. */
  over(socket: Socket): void {
    const { idleMs } = this.#limits;
    const silent = `${this.#name} sent nothing for ${idleMs / 1000} s`;
    const hint = "Try again later.";
    socket.setTimeout(idleMs, () => this.#fail(new ToolError("timeout", silent, { hint })));
  }

  #fail(reason: ToolError): void {
    this.reason ??= reason;
    this.#over.reject(this.reason);
  }
}
