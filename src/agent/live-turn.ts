import type { AgentEvent, TurnResult } from "./event.ts";
import type { Turn } from "./session.ts";

/** The session's side of a turn. */
export class LiveTurn implements Turn {
  readonly result: Promise<TurnResult>;
  readonly #settle: (result: TurnResult) => void;
  readonly #leave: () => Promise<void>;
  readonly #queues = new Set<EventQueue>();
  #hasEnded = false;

  /** `leave` aborts the turn when an iteration over its events ends early. */
  constructor(leave: () => Promise<void>) {
    const { promise, resolve } = Promise.withResolvers<TurnResult>();
    this.result = promise;
    this.#settle = resolve;
    this.#leave = leave;
  }

  push(event: AgentEvent): void {
    for (const queue of this.#queues) queue.push(event);
  }

  settle(result: TurnResult): void {
    this.#settle(result);
  }

  end(): void {
    this.#hasEnded = true;
    for (const queue of this.#queues) queue.end();
    this.#queues.clear();
  }

  /** Yields events from now on. */
  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    const queue = new EventQueue();
    if (this.#hasEnded) queue.end();
    else this.#queues.add(queue);
    return {
      next: () => queue.next(),
      return: async () => {
        this.#queues.delete(queue);
        queue.end();
        if (!this.#hasEnded) await this.#leave();
        return finished;
      },
    };
  }
}

/** Constant cost per event, however many are queued. */
class EventQueue {
  #waiting: AgentEvent[] = [];
  #given = 0;
  #takers: ((result: IteratorResult<AgentEvent>) => void)[] = [];
  #hasEnded = false;

  push(event: AgentEvent): void {
    const take = this.#takers.shift();
    if (take) take({ done: false, value: event });
    else this.#waiting.push(event);
  }

  end(): void {
    this.#hasEnded = true;
    for (const take of this.#takers.splice(0)) take(finished);
  }

  async next(): Promise<IteratorResult<AgentEvent>> {
    const value = this.#waiting[this.#given];
    if (value) {
      this.#given += 1;
      if (this.#given === this.#waiting.length) [this.#waiting, this.#given] = [[], 0];
      return { done: false, value };
    }
    if (this.#hasEnded) return finished;
    return new Promise((resolve) => this.#takers.push(resolve));
  }
}

const finished: IteratorResult<AgentEvent> = { done: true, value: undefined };
