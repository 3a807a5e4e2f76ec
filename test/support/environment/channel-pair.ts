import type { Channel } from "../../../src/environment/remote/channel.ts";

/** Two connected channels in this process. Few messages wait, so that senders meet back-pressure. */
export function channelPair(): readonly [Channel, Channel] {
  const [one, other] = [new Queue(), new Queue()];
  const end = (sent: Queue, received: Queue): Channel => ({
    send: (...parts) => sent.add(parts),
    messages: received,
    close: async () => {
      sent.end();
      received.end();
    },
  });
  return [end(one, other), end(other, one)];
}

class Queue implements AsyncIterable<Uint8Array> {
  readonly #waiting: Uint8Array[] = [];
  #hasEnded = false;
  #wake = Promise.withResolvers<void>();

  async add(parts: readonly Uint8Array[]): Promise<void> {
    if (this.#hasEnded) throw new Error("the channel has ended");
    this.#waiting.push(Uint8Array.from(Buffer.concat(parts)));
    this.#changed();
    while (this.#waiting.length > maxWaiting && !this.#hasEnded) await this.#wake.promise;
  }

  end(): void {
    this.#hasEnded = true;
    this.#changed();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) {
        this.#changed();
        yield next;
      } else if (this.#hasEnded) return;
      else await this.#wake.promise;
    }
  }

  #changed(): void {
    const { resolve } = this.#wake;
    this.#wake = Promise.withResolvers<void>();
    resolve();
  }
}

const maxWaiting = 4;
