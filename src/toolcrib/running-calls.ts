/** The time after which `end` no longer waits for work that does not stop, so that closing takes less than two seconds. */
const patienceMs = 1_000;

/** Running calls, and work that outlives them. */
export class RunningCalls {
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  readonly #entered = new Set<AbortController>();

  get haveEnded(): boolean {
    return this.#closing.signal.aborted;
  }

  /**
   * Returns a signal that aborts with the given one, and when the calls are ended, until `leave`. `AbortSignal.any`
   * would take longer than most stages of the pipeline.
   */
  enter(signal: AbortSignal | undefined): { readonly signal: AbortSignal; leave(): void } {
    if (signal === undefined) return { signal: this.#closing.signal, leave: () => {} };
    const controller = new AbortController();
    const abort = () => controller.abort(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    this.#entered.add(controller);
    return {
      signal: controller.signal,
      leave: () => {
        signal.removeEventListener("abort", abort);
        this.#entered.delete(controller);
      },
    };
  }

  add(work: Promise<unknown>): void {
    this.#running.add(work);
    const remove = () => this.#running.delete(work);
    void work.then(remove, remove);
  }

  /** Cancels everything and waits for it, within a limit. */
  async end(): Promise<void> {
    this.#closing.abort();
    for (const controller of this.#entered) controller.abort();
    const { promise: waitedEnough, resolve: giveUp } = Promise.withResolvers<"waited enough">();
    const timer = setTimeout(() => giveUp("waited enough"), patienceMs);
    while (this.#running.size > 0) {
      const ended = await Promise.race([Promise.allSettled(this.#running), waitedEnough]);
      if (ended === "waited enough") break;
    }
    clearTimeout(timer);
  }
}
