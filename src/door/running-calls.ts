/** The calls that run in a room, and what outlives them. */
export class RunningCalls {
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  get haveEnded(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Aborts with the caller's own, and when the room is closed. */
  signalFor(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal;
  }

  add(work: Promise<unknown>): void {
    this.#running.add(work);
    const remove = () => this.#running.delete(work);
    void work.then(remove, remove);
  }

  /** Cancels all of it and waits. */
  async end(): Promise<void> {
    this.#closing.abort();
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }
}
