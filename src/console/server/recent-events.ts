import { randomBytes } from "node:crypto";
import type { ConsoleEvent } from "../api.ts";

/** An event with the id at which a stream can resume. */
export interface NumberedEvent {
  readonly id: string;
  readonly event: ConsoleEvent;
}

/** Numbers the events of one run of the console, and keeps the latest ones with calls for streams that resume. */
export class RecentEvents {
  readonly #start = randomBytes(4).toString("hex");
  readonly #calls: { readonly number: number; readonly event: ConsoleEvent }[] = [];
  #last = 0;
  /** Streams can resume at this event and later ones. */
  #wholeFrom = 0;

  /** The id of the latest event. */
  get lastId(): string {
    return this.#id(this.#last);
  }

  add(event: ConsoleEvent): NumberedEvent {
    this.#last += 1;
    // A stream begins with the overview, so only calls are repeated.
    if (event.type === "calls") {
      this.#calls.push({ number: this.#last, event });
      if (this.#calls.length > maxRecent) this.#wholeFrom = this.#calls.shift()!.number;
    } else if (event.type === "missed") {
      this.#calls.length = 0;
      this.#wholeFrom = this.#last;
    }
    return { id: this.lastId, event };
  }

  /** Returns the calls since an event, or that some were missed. */
  since(id: string): readonly NumberedEvent[] {
    const [start, text] = id.split(".");
    const number = Number(text);
    const isKnown = start === this.#start && number >= this.#wholeFrom && number <= this.#last;
    if (!isKnown) return [{ id: this.lastId, event: { type: "missed" } }];
    return this.#calls
      .filter((recent) => recent.number > number)
      .map((recent) => ({ id: this.#id(recent.number), event: recent.event }));
  }

  #id(number: number): string {
    return `${this.#start}.${number}`;
  }
}

export const maxRecent = 2000;
