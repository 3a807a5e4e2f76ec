import type { Readable, Writable } from "node:stream";

/** The longest message that a channel takes. Senders split what is longer. */
export const maxMessageBytes: number = 1024 * 1024;

/** The type of a frame follows its length. Numbers count the messages of one direction from 1. */
export const frameTypes = {
  /** JSON, client to server, first: who asks, and the number of the last message that it received. */
  hello: 1,
  /** JSON, the answer to `hello`: the number of the last message that the server received. */
  welcome: 2,
  /** JSON, the other answer to `hello`. */
  refused: 3,
  /** A number, then the message. */
  message: 4,
  /** The number of the last message. No other follows. */
  end: 5,
  /** The number of the last message that the reader has taken. */
  taken: 6,
  /** Answered with `pong`, so that a dead connection is noticed. */
  ping: 7,
  pong: 8,
} as const;

/** A connection in both directions. */
export interface ByteStream {
  readonly readable: Readable;
  readonly writable: Writable;
  /** Breaks the connection at once. */
  destroy(): void;
}

/** Sends and receives frames: a length of four bytes, a type of one byte, and the body. */
export class FrameStream {
  /** Called for every frame. */
  onFrame: (type: number, body: Buffer) => void = () => {};
  /** Called once, when the connection has ended. `violation` says how the other side broke the protocol. */
  onEnd: (violation: string | undefined) => void = () => {};
  /** Called when everything is sent after it was full. */
  onDrain: () => void = () => {};
  /** How many bytes have arrived, also those of frames that are not whole yet. */
  receivedBytes = 0;
  readonly #stream: ByteStream;
  /** The beginning of a frame, up to its type. */
  readonly #header = Buffer.alloc(headerBytes);
  #headerSize = 0;
  /** The body of a frame that arrives in parts. */
  #body: Buffer = nothing;
  #bodySize = 0;
  #hasEnded = false;
  /** The parts of frames that are written together. */
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;

  constructor(stream: ByteStream) {
    this.#stream = stream;
    const { readable, writable } = stream;
    const end = () => this.#end(undefined);
    readable.on("data", (chunk: Buffer) => this.#receive(chunk));
    for (const side of [readable, writable]) side.on("error", end).on("close", end);
    readable.on("end", end);
    writable.on("drain", () => this.onDrain());
    // It may have been paused since its first bytes were read.
    readable.resume();
  }

  /** Whether the other side does not read what is sent. */
  get isFull(): boolean {
    return this.#stream.writable.writableNeedDrain;
  }

  /** The buffers are used until they are sent, and must not change. Does nothing after the end. */
  send(type: number, ...body: readonly Uint8Array[]): void {
    if (this.#hasEnded) return;
    const header = Buffer.allocUnsafe(headerBytes);
    const length = sizeOf(body);
    header.writeUInt32BE(1 + length);
    header[4] = type;
    if (this.#pending.length === 0) process.nextTick(() => this.#flush());
    this.#pending.push(header, ...body);
    this.#pendingBytes += headerBytes + length;
    // The other side can begin while more is computed here.
    if (this.#pendingBytes >= fewBytes) this.#flush();
  }

  /** Writes everything that was sent at once with one system call. Few large buffers take less time than many small ones. */
  #flush(): void {
    if (this.#pending.length === 0) return;
    const { writable } = this.#stream;
    writable.cork();
    for (const part of joinSmall(this.#pending)) writable.write(part);
    this.#pending = [];
    this.#pendingBytes = 0;
    writable.uncork();
  }

  sendJson(type: number, value: object): void {
    this.send(type, Buffer.from(JSON.stringify(value)));
  }

  /** Ends the connection when everything is sent. */
  finish(): void {
    if (this.#hasEnded) return;
    this.#flush();
    this.#hasEnded = true;
    const { readable, writable } = this.#stream;
    // A peer that does not end must not keep it open.
    const timer = setTimeout(() => this.#stream.destroy(), finishMs).unref();
    readable.once("close", () => clearTimeout(timer)).once("end", () => this.#stream.destroy());
    readable.resume();
    writable.end();
  }

  /** Ends the connection at once, without a call of `onEnd`. */
  destroy(): void {
    this.#hasEnded = true;
    this.#pending = [];
    this.#stream.destroy();
  }

  #receive(chunk: Buffer): void {
    this.receivedBytes += chunk.length;
    for (let at = 0; !this.#hasEnded; ) {
      const size = chunk.copy(this.#header, this.#headerSize, at);
      this.#headerSize += size;
      if (this.#headerSize < headerBytes) return;
      const length = this.#header.readUInt32BE();
      if (length < 1 || length > maxFrameBytes) {
        this.#end(`a frame of ${length} bytes`);
        return;
      }
      at = this.#receiveBody(chunk, at + size);
      // The rest of the body is still to come.
      if (this.#headerSize > 0) return;
    }
  }

  /** Reads the body of a frame, or a part of it. Returns where the next frame begins. */
  #receiveBody(chunk: Buffer, at: number): number {
    const length = this.#header.readUInt32BE() - 1;
    const isWhole = this.#bodySize === 0 && chunk.length - at >= length;
    // A copy, so that a peer that sends single bytes cannot fill the memory with buffers.
    if (!isWhole && this.#bodySize === 0) this.#body = Buffer.allocUnsafeSlow(length);
    const size = Math.min(length - this.#bodySize, chunk.length - at);
    if (!isWhole) chunk.copy(this.#body, this.#bodySize, at, at + size);
    this.#bodySize += size;
    if (this.#bodySize < length) return at + size;
    const body = isWhole ? chunk.subarray(at, at + length) : this.#body;
    this.#headerSize = 0;
    this.#bodySize = 0;
    this.#body = nothing;
    this.onFrame(this.#header[4]!, body);
    return at + size;
  }

  #end(violation: string | undefined): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#pending = [];
    this.#body = nothing;
    this.#stream.destroy();
    this.onEnd(violation);
  }
}

const nothing = Buffer.alloc(0);
const headerBytes = 5;
const numberBytes = 6;
const maxFrameBytes = 1 + numberBytes + maxMessageBytes;
const finishMs = 2000;

/** A pipe takes so much at once. */
const fewBytes = 64 * 1024;

/** Up to this size, copying a buffer takes less time than writing it by itself. */
const smallBytes = 2048;

/** Joins neighbouring small buffers. */
function* joinSmall(buffers: readonly Uint8Array[]): Generator<Uint8Array> {
  let from = 0;
  for (let index = 0; index <= buffers.length; index += 1) {
    const buffer = buffers[index];
    if (buffer !== undefined && buffer.length <= smallBytes) continue;
    if (index > from) yield Buffer.concat(buffers.slice(from, index));
    if (buffer !== undefined) yield buffer;
    from = index + 1;
  }
}

export function sizeOf(parts: readonly Uint8Array[]): number {
  let size = 0;
  for (const { length } of parts) size += length;
  return size;
}

/** Encodes the number of a message: 48 bits, enough for centuries. */
export function encodeNumber(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(numberBytes);
  bytes.writeUIntBE(value, 0, numberBytes);
  return bytes;
}

/** Splits a body that begins with a number; undefined when it is too short. */
export function decodeNumber(body: Buffer): { readonly number: number; readonly rest: Buffer } | undefined {
  if (body.length < numberBytes) return undefined;
  return { number: body.readUIntBE(0, numberBytes), rest: body.subarray(numberBytes) };
}
