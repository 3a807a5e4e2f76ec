import type { AgentEvent } from "./event.ts";

/** Hands every event to whoever listens, at once and in order. */
export class EventFeed {
  readonly #listeners = new Set<(event: AgentEvent) => unknown>();

  on(listener: (event: AgentEvent) => unknown): () => void {
    // Wrapped, so that one function registered twice is two listeners.
    const entry = (event: AgentEvent) => listener(event);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  emit(event: AgentEvent): void {
    for (const listener of this.#listeners) {
      // A listener only watches: its fault must not change the turn.
      try {
        const result = listener(event);
        if (result instanceof Promise) result.catch(warn);
      } catch (error) {
        warn(error);
      }
    }
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
