import { EventEmitter, on } from "node:events";
import type { AgentEvent, TurnResult } from "./event.ts";
import type { Turn } from "./session.ts";

export class LiveTurn implements Turn {
  readonly result: Promise<TurnResult>;
  readonly settle: (result: TurnResult) => void;
  readonly #leave: () => Promise<void>;
  readonly #events = new EventEmitter<{ event: [AgentEvent]; end: [] }>().setMaxListeners(0);
  #hasEnded = false;

  /** `leave` aborts the turn when an iteration over its events ends early. */
  constructor(leave: () => Promise<void>) {
    const { promise, resolve } = Promise.withResolvers<TurnResult>();
    this.result = promise;
    this.settle = resolve;
    this.#leave = leave;
  }

  push(event: AgentEvent): void {
    this.#events.emit("event", event);
  }

  end(): void {
    this.#hasEnded = true;
    this.#events.emit("end");
  }

  /** Yields events from now on. */
  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    if (this.#hasEnded) return (async function* (): AsyncGenerator<AgentEvent> {})();
    const queue = on(this.#events, "event", { close: ["end"] });
    return {
      next: async () => {
        const { done, value } = await queue.next();
        return done ? { done, value: undefined } : { done: false, value: value[0] };
      },
      return: async () => {
        await queue.return?.();
        if (!this.#hasEnded) await this.#leave();
        return { done: true, value: undefined };
      },
    };
  }
}
