/** Passes every event to all listeners, synchronously and in order. */
export class Listeners<Event> {
  readonly #listeners = new Set<(event: Event) => unknown>();

  /** Whether there are no listeners, so that no event needs to be created. */
  get idle(): boolean {
    return this.#listeners.size === 0;
  }

  /** Calls `listener`, which may be asynchronous, for every event; the returned function removes it. */
  on(listener: (event: Event) => unknown): () => void {
    // Wrapped, so that one function registered twice is two listeners.
    const entry = (event: Event) => listener(event);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  emit(event: Event): void {
    for (const listener of this.#listeners) {
      // An error of a listener must not change what it observes.
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
