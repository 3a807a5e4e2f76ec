import type { Duplex } from "node:stream";
import { setTimeout as patience } from "node:timers/promises";
import { FrameReader, frame, frameHeader, frameKinds } from "./frames.ts";
import { InnerConnection } from "./inner-connection.ts";

// The relay lets in half as many, so that those that are being closed are in nobody's way.
const mostConnections = 2048;
// More than this waits only when the other side asks and asks, and never reads.
const mostWaitingBytes = 128 * 1024 * 1024;

/**
 * Our side of the channel to the relay. The relay is in the hands of whatever runs inside: all that comes from it is
 * checked, and at the first thing that breaks the agreement the channel is closed.
 */
export class RelayChannel {
  readonly #channel: Duplex;
  readonly #welcome: (connection: Duplex) => void;
  readonly #connections = new Map<number, InnerConnection>();
  #question: PromiseWithResolvers<readonly number[]> | undefined;
  #nextId = 2;
  #isClosed = false;

  /** `welcome` is given every connection that a program inside makes. */
  constructor(channel: Duplex, welcome: (connection: Duplex) => void) {
    this.#channel = channel;
    this.#welcome = welcome;
    const reader = new FrameReader((id, kind, content) => this.#take(id, kind, content));
    channel.on("data", (piece: Buffer) => {
      if (!this.#isClosed && !reader.read(piece)) this.close();
    });
    channel.on("error", () => this.close());
    channel.on("end", () => this.close());
    channel.on("close", () => this.close());
  }

  /** A connection to a port inside; undefined when nobody takes it. */
  connect(port: number): Promise<Duplex | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    const id = this.#nextId;
    this.#nextId += 2;
    const connection = this.#hold(id);
    const content = Buffer.alloc(2);
    content.writeUInt16BE(port);
    this.#channel.write(frame(id, frameKinds.open, content));
    return new Promise((resolve) => {
      connection.once("connect", () => resolve(connection));
      connection.once("close", () => resolve(undefined));
    });
  }

  /** The ports that somebody inside listens on; none when the relay does not say in time. */
  async listening(): Promise<readonly number[]> {
    if (this.#isClosed) return [];
    if (this.#question === undefined) {
      this.#question = Promise.withResolvers();
      this.#write(frame(0, frameKinds.listening));
    }
    // Whatever runs inside can stop it.
    return Promise.race([this.#question.promise, patience(2_000, [], { ref: false })]);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const connection of this.#connections.values()) connection.lose();
    this.#connections.clear();
    this.#question?.resolve([]);
    this.#channel.destroy();
  }

  #take(id: number, kind: number, content: Buffer): boolean {
    if (kind === frameKinds.listening) return this.#hear(content);
    if (kind === frameKinds.open) return this.#open(id);
    // What was on its way to a connection that we have closed is nobody's.
    return this.#connections.get(id)?.heed(kind, content) ?? true;
  }

  #hear(content: Buffer): boolean {
    const question = this.#question;
    this.#question = undefined;
    question?.resolve(
      Array.from({ length: content.length >> 1 }, (_, index) => content.readUInt16BE(index * 2)),
    );
    return question !== undefined;
  }

  #open(id: number): boolean {
    if (id % 2 === 0 || this.#connections.has(id)) return false;
    if (this.#connections.size >= mostConnections) this.#write(frame(id, frameKinds.reset));
    else this.#welcome(this.#hold(id));
    return true;
  }

  #hold(id: number): InnerConnection {
    const connection = new InnerConnection((kind, content, sent) => this.#send(id, kind, content, sent));
    this.#connections.set(id, connection);
    connection.once("close", () => this.#connections.delete(id));
    return connection;
  }

  #send(id: number, kind: number, content: Uint8Array | undefined, sent: (() => void) | undefined): void {
    // Both in one go, and what is long is not copied.
    this.#channel.cork();
    this.#write(frameHeader({ id, kind, length: content?.length ?? 0 }), content ? undefined : sent);
    if (content) this.#write(content, sent);
    this.#channel.uncork();
  }

  #write(bytes: Uint8Array, sent?: () => void): void {
    if (this.#isClosed) return;
    this.#channel.write(bytes, sent && (() => sent()));
    if (this.#channel.writableLength > mostWaitingBytes) this.close();
  }
}
