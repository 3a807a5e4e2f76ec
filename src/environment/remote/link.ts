import { ToolError } from "../../contract/error.ts";
import { isRecord } from "../../lib/json/is-record.ts";
import { tryParseJson } from "../../lib/json/try-parse-json.ts";
import type { Channel } from "./channel.ts";
import {
  decodeNumber,
  encodeNumber,
  type FrameStream,
  frameTypes,
  maxMessageBytes,
  protocolVersion,
} from "./frames.ts";

/** The first frame of a client on every connection. */
export interface Hello {
  readonly protocol: number;
  readonly session: string;
  /** Only the client that created the session knows it. */
  readonly secret: string;
  /** The number of the last message that the client received. */
  readonly received: number;
}

/** Why a session cannot be continued, so that another attempt is useless. */
export type Refusal =
  /** The server of the session no longer runs. */
  | "gone"
  /** It is the session of another client. */
  | "session"
  /** The other side speaks another protocol. */
  | "protocol";

export interface LinkOptions {
  /** Names the other side in errors. */
  readonly peer: string;
  /** Called when the connection breaks, not when the channel ends. */
  readonly onDetached: () => void;
  /** How often to ask a silent peer for a sign of life. After three unanswered pings the connection is cut. Default: never. */
  readonly pingMs?: number | undefined;
}

/**
 * One end of a channel that outlives its connections. Keeps every message until the other side's reader has taken it.
 * After a break both sides say which message they received last, and the rest is sent again.
 */
export class Link implements Channel {
  readonly #options: LinkOptions;
  #frames: FrameStream | undefined;
  /** Messages that the reader of the other side has not taken, by number. */
  readonly #unacknowledged = new Map<number, Outgoing>();
  #unacknowledgedBytes = 0;
  #lastSent = 0;
  readonly #waiting: Outgoing[] = [];
  #incoming: Buffer[] = [];
  #untakenBytes = 0;
  #received = 0;
  #taken = 0;
  #isAckScheduled = false;
  #wake = () => {};
  #isClosing = false;
  #hasPeerEnded = false;
  #hasFinished = false;
  #lost: ToolError | undefined;
  readonly #finished = Promise.withResolvers<void>();
  #pings: NodeJS.Timeout | undefined;
  #unansweredPings = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get isAttached(): boolean {
    return this.#frames !== undefined;
  }

  /** Whether the channel is closed or lost. */
  get hasEnded(): boolean {
    return this.#hasFinished;
  }

  /** Client: asks for the session on a new connection. Resolves with a refusal, or undefined when attached. */
  greet(frames: FrameStream, hello: Pick<Hello, "session" | "secret">): Promise<Refusal | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Refusal | undefined>();
    // From now on nothing more arrives on the old connection, so that the number below is final.
    this.#detach();
    frames.onEnd = (violation) =>
      violation === undefined ? reject(this.#connectionEnded()) : resolve("protocol");
    frames.onFrame = (type, body) => {
      const answer = type === frameTypes.welcome ? parseWelcome(body) : undefined;
      if (answer === undefined) {
        frames.destroy();
        resolve(type === frameTypes.refused ? parseRefusal(body) : "protocol");
      } else {
        this.#attach(frames, answer.received);
        resolve(undefined);
      }
    };
    frames.sendJson(frameTypes.hello, { protocol: protocolVersion, ...hello, received: this.#received });
    return promise;
  }

  /** Server: continues on the connection of a client whose greeting was checked. */
  welcome(frames: FrameStream, { received }: Hello): void {
    this.#detach();
    frames.sendJson(frameTypes.welcome, { protocol: protocolVersion, received: this.#received });
    this.#attach(frames, received);
  }

  send(message: Uint8Array): Promise<void> {
    const { length } = message;
    if (length > maxMessageBytes)
      return Promise.reject(
        new RangeError(`A message of ${length} bytes is longer than ${maxMessageBytes}. Split it.`),
      );
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    if (this.#isClosing || this.#hasPeerEnded) return Promise.reject(this.#closed());
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ type: frameTypes.message, message, resolve, reject });
    this.#fillWindow();
    return promise;
  }

  get messages(): AsyncIterable<Uint8Array> {
    return this.#read();
  }

  /** Resolves when the other side has received everything and has closed too, or after five seconds. */
  async close(): Promise<void> {
    if (!this.#isClosing && this.#lost === undefined) {
      this.#isClosing = true;
      this.#discardIncoming();
      this.#waiting.push({ type: frameTypes.end, message: nothing, resolve() {}, reject() {} });
      this.#fillWindow();
    }
    const timer = setTimeout(() => this.#finish(), closeMs);
    await this.#finished.promise;
    clearTimeout(timer);
  }

  /** Ends the channel: everything that waits for it fails with `error`. */
  lose(error: ToolError): void {
    if (this.#lost !== undefined) return;
    this.#lost = error;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    this.#finish();
  }

  #attach(frames: FrameStream, peerReceived: number): void {
    this.#frames = frames;
    frames.onFrame = (type, body) => this.#take(type, body);
    frames.onEnd = (violation) => this.#ended(violation);
    if (peerReceived > this.#lastSent || peerReceived < 0) {
      this.#violated("a message that was never sent");
      return;
    }
    for (const [number, outgoing] of this.#unacknowledged)
      if (number > peerReceived) transmit(frames, number, outgoing);
    this.#acknowledge();
    this.#startPings();
    this.#finishIfDone();
  }

  #detach(): void {
    clearInterval(this.#pings);
    this.#frames?.destroy();
    this.#frames = undefined;
  }

  #ended(violation: string | undefined): void {
    this.#detach();
    if (violation !== undefined) this.#violated(violation);
    else if (this.#isClosing && this.#hasPeerEnded) this.#finish();
    else if (!this.hasEnded) this.#options.onDetached();
  }

  #startPings(): void {
    const { pingMs } = this.#options;
    if (pingMs === undefined) return;
    this.#unansweredPings = 0;
    // Counts pings instead of time, because this process may have been suspended.
    this.#pings = setInterval(() => {
      if (this.#unansweredPings >= 3) {
        this.#ended(undefined);
        return;
      }
      this.#unansweredPings++;
      this.#frames?.send(frameTypes.ping);
    }, pingMs).unref();
  }

  #take(type: number, body: Buffer): void {
    this.#unansweredPings = 0;
    if (type === frameTypes.ping) this.#frames?.send(frameTypes.pong);
    if (type === frameTypes.ping || type === frameTypes.pong) return;
    const found = decodeNumber(body);
    if (found === undefined) this.#violated("a frame without a number");
    else if (type === frameTypes.taken) this.#forget(found.number);
    else if (type === frameTypes.message || type === frameTypes.end)
      this.#receive(type, found.number, found.rest);
    else this.#violated(`a frame of type ${type}`);
  }

  #receive(type: number, number: number, message: Buffer): void {
    if (number !== this.#received + 1) {
      this.#violated(`message ${number} after ${this.#received}`);
      return;
    }
    if (this.#hasPeerEnded) {
      this.#violated("a message after the end");
      return;
    }
    this.#received = number;
    if (type === frameTypes.end) {
      this.#hasPeerEnded = true;
      this.#rejectWaiting();
      this.#scheduleAck();
      this.#wake();
      this.#finishIfDone();
      return;
    }
    this.#incoming.push(message);
    this.#untakenBytes += costOf(message);
    if (this.#isClosing) this.#discardIncoming();
    else if (this.#untakenBytes > windowBytes + costOf({ length: maxMessageBytes }))
      this.#violated("more messages than the window allows");
    else this.#wake();
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const batch = this.#incoming;
      this.#incoming = [];
      for (const message of batch) {
        if (this.#isClosing && this.#lost === undefined) return;
        this.#taken++;
        this.#untakenBytes -= costOf(message);
        this.#scheduleAck();
        yield message;
      }
      if (this.#incoming.length > 0) continue;
      if (this.#hasPeerEnded || (this.#isClosing && this.#lost === undefined)) return;
      if (this.#lost !== undefined) throw this.#lost;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }

  /** After the own `close` nothing is read. */
  #discardIncoming(): void {
    this.#incoming = [];
    this.#untakenBytes = 0;
    this.#taken = this.#received;
    this.#acknowledge();
    this.#wake();
  }

  /** The other side has ended and reads no more messages, but the own end. */
  #rejectWaiting(): void {
    for (const waiting of this.#waiting.splice(0)) {
      if (waiting.type === frameTypes.end) this.#waiting.push(waiting);
      else waiting.reject(this.#closed());
    }
    this.#fillWindow();
  }

  #scheduleAck(): void {
    if (this.#isAckScheduled) return;
    this.#isAckScheduled = true;
    setImmediate(() => {
      this.#isAckScheduled = false;
      this.#acknowledge();
    });
  }

  #acknowledge(): void {
    // The end is a message that needs no reader.
    if (this.#hasPeerEnded && this.#taken === this.#received - 1) this.#taken = this.#received;
    this.#frames?.send(frameTypes.taken, encodeNumber(this.#taken));
  }

  #forget(upTo: number): void {
    if (upTo > this.#lastSent) {
      this.#violated("a message that was never sent");
      return;
    }
    for (const [number, { message }] of this.#unacknowledged) {
      if (number > upTo) break;
      this.#unacknowledged.delete(number);
      this.#unacknowledgedBytes -= costOf(message);
    }
    this.#fillWindow();
    this.#finishIfDone();
  }

  #fillWindow(): void {
    while (this.#unacknowledgedBytes < windowBytes) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#lastSent++;
      this.#unacknowledged.set(this.#lastSent, next);
      this.#unacknowledgedBytes += costOf(next.message);
      if (this.#frames !== undefined) transmit(this.#frames, this.#lastSent, next);
      next.resolve();
    }
  }

  #finishIfDone(): void {
    const isSent = this.#waiting.length === 0 && this.#unacknowledged.size === 0;
    if (this.#isClosing && this.#hasPeerEnded && isSent) this.#finish();
  }

  #finish(): void {
    clearInterval(this.#pings);
    this.#isClosing = true;
    this.#hasFinished = true;
    if (this.#lost === undefined) this.#acknowledge();
    this.#frames?.finish();
    this.#frames = undefined;
    this.#unacknowledged.clear();
    this.#wake();
    this.#finished.resolve();
  }

  #violated(violation: string): void {
    this.#detach();
    this.lose(new ToolError("unavailable", `${this.#options.peer} broke the protocol: ${violation}`));
  }

  #connectionEnded(): ToolError {
    return new ToolError("unavailable", `The connection to ${this.#options.peer} ended`);
  }

  #closed(): ToolError {
    return new ToolError("unavailable", `The connection to ${this.#options.peer} is closed`);
  }
}

interface Outgoing {
  readonly type: number;
  readonly message: Uint8Array;
  resolve(): void;
  reject(error: ToolError): void;
}

/** The size of all messages that the reader of the other side may not have taken yet. One message may exceed it. */
const windowBytes = 4 * 1024 * 1024;
const closeMs = 5000;
const nothing = new Uint8Array();

/** Many small messages take memory, too. */
function costOf({ length }: { readonly length: number }): number {
  return length + 100;
}

function transmit(frames: FrameStream, number: number, { type, message }: Outgoing): void {
  frames.send(type, encodeNumber(number), message);
}

/** Parses the greeting of a client; undefined when it is not one. */
export function parseHello(body: Buffer): Hello | undefined {
  const { protocol, session, secret, received } = parseObject(body);
  return typeof protocol === "number" &&
    typeof session === "string" &&
    typeof secret === "string" &&
    isCount(received)
    ? { protocol, session, secret, received }
    : undefined;
}

function parseWelcome(body: Buffer): { readonly received: number } | undefined {
  const { protocol, received } = parseObject(body);
  return protocol === protocolVersion && isCount(received) ? { received } : undefined;
}

function parseRefusal(body: Buffer): Refusal {
  const { reason } = parseObject(body);
  return reason === "gone" || reason === "session" ? reason : "protocol";
}

function parseObject(body: Buffer): Readonly<Record<string, unknown>> {
  const value = tryParseJson(body.toString());
  return isRecord(value) ? value : {};
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
