/** Passes every event to all listeners, synchronously and in order. */
export class Listeners<Event> {
  readonly #listeners = new Set<(event: Event) => unknown>();

  /** True without listeners. Callers then need not create events. */
  get idle(): boolean {
    return this.#listeners.size === 0;
  }

  /** Calls `listener`, which may be asynchronous, for every event; the returned function removes it. */
  on(listener: (event: Event) => unknown): () => void {
    // The wrapper makes a function that is registered twice count as two listeners.
    const entry = (event: Event) => listener(event);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  emit(event: Event): void {
    for (const listener of this.#listeners) {
      // An error in a listener must not affect the caller.
      try {
        const result = listener(event);
        if (result instanceof Promise) result.catch(warn);
      } catch (error) {
        warn(error);
      }
    }
  }

  clear(): void {
    this.#listeners.clear();
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
