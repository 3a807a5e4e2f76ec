import { encodeNumber, type FrameStream, frameTypes, maxMessageBytes, sizeOf } from "./frames.ts";

// The two directions of a link. Both count messages from 1, and their memory is bounded by the same window.

/** The messages of this side that the reader of the other side has not taken. */
export class Outbox {
  /** Messages that were sent, by number. */
  readonly #kept = new Map<number, Outgoing>();
  readonly #waiting: Waiting[] = [];
  #keptBytes = 0;
  #lastSent = 0;
  #acknowledged = 0;

  /** The number of the last message that the other side has taken. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Whether the other side has taken everything. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#kept.size === 0;
  }

  /** Whether the other side may say that it has received this number. */
  hasSent(number: number): boolean {
    return number <= this.#lastSent;
  }

  /** Resolves when the message is in the window. */
  add(message: readonly Uint8Array[], frames: FrameStream | undefined): Promise<void> {
    if (this.#waiting.length === 0 && this.#keptBytes < windowBytes) {
      this.#send({ type: frameTypes.message, message }, frames);
      return sent;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ type: frameTypes.message, message, resolve, reject });
    return promise;
  }

  /** The last message, which has no content. */
  end(frames: FrameStream | undefined): void {
    this.#waiting.push({ type: frameTypes.end, message: [], resolve() {}, reject() {} });
    this.#fill(frames);
  }

  /** Sends everything after this number on a new connection. */
  resend(after: number, frames: FrameStream): void {
    for (const [number, outgoing] of this.#kept) if (number > after) transmit(frames, number, outgoing);
  }

  /** The other side has taken all messages up to this number. */
  forget(upTo: number, frames: FrameStream | undefined): void {
    this.#acknowledged = Math.max(this.#acknowledged, upTo);
    for (const [number, { message }] of this.#kept) {
      if (number > upTo) break;
      this.#kept.delete(number);
      this.#keptBytes -= costOf(sizeOf(message));
    }
    this.#fill(frames);
  }

  /** Rejects the messages that wait for the window. An end stays. */
  rejectWaiting(error: Error, frames: FrameStream | undefined): void {
    for (const waiting of this.#waiting.splice(0)) {
      if (waiting.type === frameTypes.end) this.#waiting.push(waiting);
      else waiting.reject(error);
    }
    this.#fill(frames);
  }

  clear(): void {
    this.#kept.clear();
  }

  #fill(frames: FrameStream | undefined): void {
    while (this.#keptBytes < windowBytes) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#send(next, frames);
      next.resolve();
    }
  }

  #send(next: Outgoing, frames: FrameStream | undefined): void {
    this.#lastSent++;
    this.#kept.set(this.#lastSent, next);
    this.#keptBytes += costOf(sizeOf(next.message));
    if (frames !== undefined) transmit(frames, this.#lastSent, next);
  }
}

const sent = Promise.resolve();

interface Outgoing {
  readonly type: number;
  readonly message: readonly Uint8Array[];
}

/** A message that waits until the window has room for it. */
interface Waiting extends Outgoing {
  resolve(): void;
  reject(error: Error): void;
}

function transmit(frames: FrameStream, number: number, { type, message }: Outgoing): void {
  frames.send(type, encodeNumber(number), ...message);
}

/** The messages of the other side that the reader of this side has not taken. */
export class Inbox {
  #messages: Uint8Array[] = [];
  /** The place of the next message that is read. */
  #next = 0;
  #bytes = 0;
  #received = 0;
  #taken = 0;
  /** The size of the messages that were read since the last acknowledgement. */
  #unacknowledged = 0;
  #hasEnded = false;

  /** The number of the last message that has arrived. */
  get received(): number {
    return this.#received;
  }

  /** Whether the other side may wait for an acknowledgement. */
  get isAckDue(): boolean {
    return this.#hasEnded || this.#unacknowledged >= windowBytes / 8;
  }

  /** Returns the number of the last message that was read, for the other side. The end needs no reader. */
  acknowledge(): number {
    this.#unacknowledged = 0;
    return this.#hasEnded && this.#next === this.#messages.length ? this.#received : this.#taken;
  }

  /** Whether the other side has sent its end. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Returns how a message breaks the protocol; undefined when it was added. */
  add(type: number, number: number, message: Uint8Array): string | undefined {
    if (number !== this.#received + 1) return `message ${number} after ${this.#received}`;
    if (this.#hasEnded) return "a message after the end";
    this.#received = number;
    if (type === frameTypes.end) this.#hasEnded = true;
    else {
      this.#messages.push(message);
      this.#bytes += costOf(message.length);
    }
    const most = windowBytes + costOf(maxMessageBytes);
    return this.#bytes > most ? "more messages than the window allows" : undefined;
  }

  take(): Uint8Array | undefined {
    const message = this.#messages[this.#next];
    if (message === undefined) return undefined;
    this.#messages[this.#next] = taken;
    this.#next++;
    // Removes messages that were read; all at once, because each removal at the front may move all others.
    if (this.#next === this.#messages.length || this.#next >= forgottenAtOnce) {
      this.#messages.splice(0, this.#next);
      this.#next = 0;
    }
    this.#taken++;
    this.#bytes -= costOf(message.length);
    this.#unacknowledged += costOf(message.length);
    return message;
  }

  discard(): void {
    this.#messages = [];
    this.#next = 0;
    this.#bytes = 0;
    this.#taken = this.#received;
  }
}

const forgottenAtOnce = 1000;

/** Replaces a message that was read, so that its memory can be freed. */
const taken = new Uint8Array();

/** The size of all messages that the reader of the other side may not have taken yet. One message may exceed it. */
const windowBytes = 4 * 1024 * 1024;

/** Many small messages take memory, too. */
function costOf(length: number): number {
  return length + 100;
}
