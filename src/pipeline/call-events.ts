import type { CallEvent } from "../contract/call.ts";
import { Listeners } from "../lib/async/listeners.ts";

/** A function that receives events. It may be asynchronous, but is not awaited. */
export type CallEventListener = (event: CallEvent) => unknown;

/** The events of all calls, for any number of listeners, by callback or with `for await`. */
export interface CallEventStream extends AsyncIterable<CallEvent> {
  /** Calls `listener` for every event from now on. Returns a function that stops it. */
  on(listener: CallEventListener): () => void;
}

/** An event source that can emit events. */
export class CallEvents implements CallEventStream {
  readonly #listeners = new Listeners<CallEvent>();
  readonly #onClose = new Set<() => void>();
  #closed = false;

  /** True without listeners. Callers then need not create events. */
  get idle(): boolean {
    return this.#listeners.idle;
  }

  on(listener: CallEventListener): () => void {
    return this.#listeners.on(listener);
  }

  emit(event: CallEvent): void {
    this.#listeners.emit(event);
  }

  /** Ends every iteration after the events so far. */
  close(): void {
    this.#closed = true;
    for (const end of this.#onClose) end();
    this.#listeners.clear();
  }

  /** Starts listening at once, so that no later event is missed. */
  [Symbol.asyncIterator](): AsyncIterator<CallEvent> {
    const waiting: CallEvent[] = [];
    const takers: ((result: IteratorResult<CallEvent>) => void)[] = [];
    let ended = this.#closed;
    const stopListening = this.on((event) => {
      const take = takers.shift();
      if (take) take({ done: false, value: event });
      else waiting.push(event);
    });
    const end = () => {
      ended = true;
      stopListening();
      this.#onClose.delete(end);
      for (const take of takers.splice(0)) take(finished);
    };
    if (ended) end();
    else this.#onClose.add(end);
    return {
      next: async () => {
        const value = waiting.shift();
        if (value) return { done: false, value };
        return ended ? finished : new Promise((resolve) => takers.push(resolve));
      },
      return: async () => {
        end();
        waiting.length = 0;
        return finished;
      },
    };
  }
}

const finished: IteratorResult<CallEvent> = { done: true, value: undefined };
