import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";
import { BoundedCache } from "../../../lib/bounded-cache.ts";

interface KeptEvent {
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly bytes: number;
}

/** The latest messages of one session, so that a client whose connection broke gets what it missed. Bounded. */
export class RecentEvents implements EventStore {
  readonly #events = new BoundedCache<string, KeptEvent>({
    maxEntries: maxEvents,
    maxWeight: maxBytes,
    weigh: ({ bytes }) => bytes,
  });
  #count = 0;

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    this.#count += 1;
    const id = `${this.#count}`;
    const bytes = JSON.stringify(message).length;
    this.#events.set(id, { stream, message, bytes });
    return id;
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.#events.get(id)?.stream;
  }

  async replayEventsAfter(
    last: string,
    { send }: { readonly send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const stream = this.#events.get(last)?.stream ?? "";
    for (const [id, event] of this.#events.entries())
      if (Number(id) > Number(last) && event.stream === stream) await send(id, event.message);
    return stream;
  }
}

const maxEvents = 2_000;
const maxBytes = 8 * 1024 * 1024;
