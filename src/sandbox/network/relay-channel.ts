import { Duplex } from "node:stream";
import { setTimeout } from "node:timers/promises";

// The relay accepts half as many connections, so that closing ones do not block new ones.
const mostConnections = 2048;
// Only a relay that keeps sending and never reads reaches this limit.
const mostWaitingBytes = 128 * 1024 * 1024;

/** Toolcrib's side of the channel to the relay. The command can control the relay, so all its frames are checked. */
export class RelayChannel {
  readonly #channel: Duplex;
  readonly #onConnection: (connection: Duplex) => void;
  readonly #connections = new Map<number, InnerConnection>();
  #pendingPorts: PromiseWithResolvers<readonly number[]> | undefined;
  #nextId = 2;
  #isClosed = false;

  /** `onConnection` is called with every connection that a program inside opens. */
  constructor(channel: Duplex, onConnection: (connection: Duplex) => void) {
    this.#channel = channel;
    this.#onConnection = onConnection;
    const reader = new FrameReader((id, kind, content) => this.#take(id, kind, content));
    channel.on("data", (piece: Buffer) => {
      if (!this.#isClosed && !reader.read(piece)) this.close();
    });
    for (const event of ["error", "end", "close"]) channel.on(event, () => this.close());
  }

  /** Connects to a port inside; undefined when the connection is refused. */
  connect(port: number): Promise<Duplex | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    const id = this.#nextId;
    this.#nextId += 2;
    const connection = this.#register(id);
    const content = Buffer.alloc(2);
    content.writeUInt16BE(port);
    this.#channel.write(frame(id, frameKinds.open, content));
    return new Promise((resolve) => {
      connection.once("connect", () => resolve(connection));
      connection.once("close", () => resolve(undefined));
    });
  }

  /** Returns the ports that programs inside listen on; none when the relay does not reply in time. */
  async listening(): Promise<readonly number[]> {
    if (this.#isClosed) return [];
    if (this.#pendingPorts === undefined) {
      this.#pendingPorts = Promise.withResolvers();
      this.#write(frame(0, frameKinds.listening));
    }
    // The command can stop the relay, so the wait is limited.
    return Promise.race([this.#pendingPorts.promise, setTimeout(2_000, [], { ref: false })]);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const connection of this.#connections.values()) connection.lose();
    this.#connections.clear();
    this.#pendingPorts?.resolve([]);
    this.#channel.destroy();
  }

  #take(id: number, kind: number, content: Buffer): boolean {
    if (kind === frameKinds.listening) return this.#takePorts(content);
    if (kind === frameKinds.open) return this.#open(id);
    // Frames for a closed connection are dropped.
    return this.#connections.get(id)?.receive(kind, content) ?? true;
  }

  #takePorts(content: Buffer): boolean {
    const pending = this.#pendingPorts;
    this.#pendingPorts = undefined;
    pending?.resolve(
      Array.from({ length: content.length >> 1 }, (_, index) => content.readUInt16BE(index * 2)),
    );
    return pending !== undefined;
  }

  #open(id: number): boolean {
    if (id % 2 === 0 || this.#connections.has(id)) return false;
    if (this.#connections.size >= mostConnections) this.#write(frame(id, frameKinds.reset));
    else this.#onConnection(this.#register(id));
    return true;
  }

  #register(id: number): InnerConnection {
    const connection = new InnerConnection((kind, content, sent) => this.#send(id, kind, content, sent));
    this.#connections.set(id, connection);
    connection.once("close", () => this.#connections.delete(id));
    return connection;
  }

  #send(id: number, kind: number, content: Uint8Array | undefined, sent: (() => void) | undefined): void {
    // Corking sends header and content in one write, without copying long content.
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

/** Puts a frame on the channel. `sent` is called once it has left. */
type Send = (kind: number, content?: Uint8Array, sent?: () => void) => void;

/**
 * Toolcrib's end of a connection of a program inside. Neither side sends more than the credit that the other granted,
 * so a slow reader stops only its own connection, and at most one window is buffered.
 */
class InnerConnection extends Duplex {
  readonly #send: Send;
  #credit: number = windowBytes;
  #received = 0;
  #taken = 0;
  #waiting: (() => void) | undefined;
  #hasEnded = false;
  #isReset = false;

  constructor(send: Send) {
    super({ allowHalfOpen: true });
    this.#send = send;
    // The owner learns of errors when the stream ends, and need not listen for them.
    this.on("error", () => {});
  }

  /** Handles a frame. Returns false when the other side violates the protocol. */
  receive(kind: number, content: Buffer): boolean {
    switch (kind) {
      case frameKinds.data:
        this.#received += content.length;
        if (this.#received > windowBytes || this.#hasEnded) return false;
        this.#taken += content.length;
        if (!this.destroyed) this.push(content);
        return true;
      case frameKinds.end:
        this.#hasEnded = true;
        if (!this.destroyed) this.push(null);
        return true;
      case frameKinds.credit:
        if (content.length !== 4) return false;
        this.#credit += content.readUInt32BE(0);
        this.#waiting?.();
        return true;
      case frameKinds.reset:
        this.#isReset = true;
        this.destroy(new Error("The program inside has closed the connection"));
        return true;
      case frameKinds.opened:
        this.emit("connect");
        return true;
      default:
        return false;
    }
  }

  /** Destroys the connection without a frame, because the relay has ended. */
  lose(): void {
    this.#isReset = true;
    this.destroy(new Error("The relay has ended"));
  }

  override _read(): void {
    if (this.#taken < windowBytes / 4) return;
    const credit = Buffer.alloc(4);
    credit.writeUInt32BE(this.#taken);
    this.#received -= this.#taken;
    this.#taken = 0;
    this.#send(frameKinds.credit, credit);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    // Empty writes need no credit: HTTP ends a response with one, and would wait forever.
    if (chunk.length === 0) {
      done();
      return;
    }
    const length = Math.min(chunk.length, this.#credit, frameBytes);
    const rest = chunk.subarray(length);
    const proceed = rest.length === 0 ? done : () => this._write(rest, "binary", done);
    if (length > 0) {
      this.#credit -= length;
      this.#send(frameKinds.data, chunk.subarray(0, length), proceed);
      return;
    }
    this.#waiting = () => {
      this.#waiting = undefined;
      proceed();
    };
  }

  override _final(done: () => void): void {
    this.#send(frameKinds.end, undefined, done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const isComplete = this.readableEnded && this.writableFinished;
    if (!this.#isReset && !isComplete) this.#send(frameKinds.reset);
    done(error);
  }
}

/**
 * A frame on the channel: the number of the connection (4 bytes), a kind (1), the length of the content (3), the
 * content. Connections that the relay opens have odd numbers, those of Toolcrib even ones.
 */
export const frameKinds = {
  /** A program has connected (no content), or Toolcrib connects to a port (2 bytes). */
  open: 1,
  data: 2,
  /** No more data follows in this direction. */
  end: 3,
  /** The connection is closed in both directions. */
  reset: 4,
  /** The receiver has passed on so many bytes (a number of 4 bytes), and the sender may send as many more. */
  credit: 5,
  opened: 6,
  /** Requests the ports that programs listen on, or lists them (2 bytes each). */
  listening: 7,
} as const;

/** The most unread data in one direction of a connection. */
export const windowBytes = 262_144;

/** The longest content of a frame. */
export const frameBytes = 65_536;

interface FrameHeader {
  readonly id: number;
  readonly kind: number;
  readonly length: number;
}

export function frameHeader({ id, kind, length }: FrameHeader): Buffer {
  const header = Buffer.allocUnsafe(8);
  header.writeUInt32BE(id, 0);
  header.writeUInt32BE(kind * 2 ** 24 + length, 4);
  return header;
}

/** Returns a whole frame. It copies the content, so use it for short frames. */
export function frame(id: number, kind: number, content: Uint8Array = new Uint8Array()): Buffer {
  return Buffer.concat([frameHeader({ id, kind, length: content.length }), content]);
}

/**
 * Reads frames from pieces of any size. Data is passed on as it arrives, even parts of a frame; other frames are
 * buffered until they are complete. `read` returns false for an invalid frame.
 */
export class FrameReader {
  readonly #take: (id: number, kind: number, content: Buffer) => boolean;
  #header: FrameHeader | undefined;
  #held: Buffer = Buffer.alloc(0);
  #left = 0;

  constructor(take: (id: number, kind: number, content: Buffer) => boolean) {
    this.#take = take;
  }

  read(piece: Buffer): boolean {
    let rest = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece]);
    for (;;) {
      if (this.#header === undefined) {
        if (rest.length < 8) break;
        const word = rest.readUInt32BE(4);
        this.#header = { id: rest.readUInt32BE(0), kind: word >>> 24, length: word & 0xffffff };
        if (this.#header.length > frameBytes) return false;
        this.#left = this.#header.length;
        rest = rest.subarray(8);
      }
      const { id, kind } = this.#header;
      const isPassedOn = kind === frameKinds.data && rest.length > 0;
      if (rest.length < this.#left && !isPassedOn) break;
      const content = rest.subarray(0, this.#left);
      this.#left -= content.length;
      rest = rest.subarray(content.length);
      if (this.#left === 0) this.#header = undefined;
      if (!this.#take(id, kind, content)) return false;
    }
    this.#held = rest;
    return true;
  }
}
