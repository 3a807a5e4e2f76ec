import type { Channel } from "../../../src/environment/remote/channel.ts";

/** Uses the echo server: one answer for each message, in order. */
export class EchoClient {
  readonly channel: Channel;
  readonly #answers: AsyncIterator<Uint8Array>;

  constructor(channel: Channel) {
    this.channel = channel;
    this.#answers = channel.messages[Symbol.asyncIterator]();
  }

  async ask(text: string): Promise<string> {
    await this.channel.send(Buffer.from(text));
    return this.next();
  }

  async next(): Promise<string> {
    const { value } = await this.#answers.next();
    return value === undefined ? "(end)" : Buffer.from(value).toString();
  }
}
