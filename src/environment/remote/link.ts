import { ToolError } from "../../contract/error.ts";
import type { Channel } from "./channel.ts";
import {
  decodeNumber,
  encodeNumber,
  type FrameStream,
  frameTypes,
  maxMessageBytes,
  sizeOf,
} from "./frames.ts";
import { type Hello, parseRefusal, parseWelcome, type Refusal } from "./link-greeting.ts";
import { Inbox, Outbox } from "./link-window.ts";

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
  readonly #outbox = new Outbox();
  readonly #inbox = new Inbox();
  #frames: FrameStream | undefined;
  #ackTimer: NodeJS.Timeout | undefined;
  #wake = () => {};
  #isClosing = false;
  #hasFinished = false;
  #lost: ToolError | undefined;
  readonly #finished = Promise.withResolvers<void>();
  #pings: NodeJS.Timeout | undefined;

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

  /** Whether the other side has closed the channel, which a server does when its processes have ended. */
  get peerHasClosed(): boolean {
    return this.#inbox.hasEnded;
  }

  /** Grows with every message that arrives on either side. */
  get progress(): number {
    return this.#inbox.received + this.#outbox.acknowledged;
  }

  /** Client: asks for the session on a new connection. Resolves with a refusal, or undefined when attached. */
  greet(frames: FrameStream, hello: Pick<Hello, "session" | "secret">): Promise<Refusal | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Refusal | undefined>();
    // From now on nothing more arrives on the old connection, so that the number below is final.
    this.#detach();
    frames.onEnd = (violation) =>
      violation === undefined ? reject(this.#failed("ended")) : resolve("protocol");
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
    frames.sendJson(frameTypes.hello, { ...hello, received: this.#inbox.received });
    return promise;
  }

  /** Server: continues on the connection of a client whose greeting was checked. */
  welcome(frames: FrameStream, { received }: Hello): void {
    this.#detach();
    frames.sendJson(frameTypes.welcome, { received: this.#inbox.received });
    this.#attach(frames, received);
  }

  send(...message: readonly Uint8Array[]): Promise<void> {
    const length = sizeOf(message);
    if (length > maxMessageBytes)
      return Promise.reject(
        new RangeError(`A message of ${length} bytes is longer than ${maxMessageBytes}. Split it.`),
      );
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    if (this.#isClosing || this.#inbox.hasEnded) return Promise.reject(this.#failed("is closed"));
    const added = this.#outbox.add(message, this.#frames);
    // Both travel together.
    if (this.#ackTimer !== undefined) this.#acknowledge();
    return added;
  }

  get messages(): AsyncIterable<Uint8Array> {
    return this.#read();
  }

  /** Resolves when the other side has received everything and has closed too, or after five seconds. */
  async close(): Promise<void> {
    if (!this.#isClosing && this.#lost === undefined) {
      this.#isClosing = true;
      this.#discard();
      this.#outbox.end(this.#frames);
    }
    const timer = setTimeout(() => this.#finish(), closeMs);
    await this.#finished.promise;
    clearTimeout(timer);
  }

  /** Ends the channel: everything that waits for it fails with `error`. */
  lose(error: ToolError): void {
    if (this.#lost !== undefined) return;
    this.#lost = error;
    this.#outbox.rejectWaiting(error, undefined);
    this.#finish();
  }

  #attach(frames: FrameStream, peerReceived: number): void {
    this.#frames = frames;
    frames.onFrame = (type, body) => this.#take(type, body);
    frames.onEnd = (violation) => this.#ended(violation);
    frames.onDrain = () => this.#acknowledge();
    if (!this.#outbox.hasSent(peerReceived)) {
      this.#violated("a message that was never sent");
      return;
    }
    this.#outbox.resend(peerReceived, frames);
    this.#acknowledge();
    this.#startPings(frames);
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
    else if (this.#isClosing && this.#inbox.hasEnded) this.#finish();
    else if (!this.hasEnded) this.#options.onDetached();
  }

  #startPings(frames: FrameStream): void {
    const { pingMs } = this.#options;
    if (pingMs === undefined) return;
    let unanswered = 0;
    let received = 0;
    // Counts pings instead of time, because this process may have been suspended.
    this.#pings = setInterval(() => {
      // Counts bytes, because a long message may take minutes on a slow connection.
      if (frames.receivedBytes !== received) unanswered = 0;
      received = frames.receivedBytes;
      if (unanswered >= 3) this.#ended(undefined);
      else frames.send(frameTypes.ping);
      unanswered += 1;
    }, pingMs).unref();
  }

  #take(type: number, body: Buffer): void {
    if (type === frameTypes.pong) return;
    if (type === frameTypes.ping) {
      // A peer that does not read gets no answers, which would take memory.
      if (this.#frames?.isFull === false) this.#frames.send(frameTypes.pong);
      return;
    }
    const found = decodeNumber(body);
    if (found === undefined) this.#violated("a frame without a number");
    else if (type === frameTypes.taken) this.#forget(found.number);
    else if (type === frameTypes.message || type === frameTypes.end)
      this.#receive(type, found.number, found.rest);
    else this.#violated(`a frame of type ${type}`);
  }

  #receive(type: number, number: number, message: Buffer): void {
    const violation = this.#inbox.add(type, number, message);
    if (violation !== undefined) {
      this.#violated(violation);
      return;
    }
    if (type === frameTypes.end) {
      // The other side reads no more messages, but the own end.
      this.#outbox.rejectWaiting(this.#failed("is closed"), this.#frames);
      this.#scheduleAck();
      this.#finishIfDone();
    } else if (this.#isClosing) this.#discard();
    this.#wake();
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const hasClosed = this.#isClosing && this.#lost === undefined;
      const message = hasClosed ? undefined : this.#inbox.take();
      if (message !== undefined) {
        this.#scheduleAck();
        yield message;
      } else if (this.#inbox.hasEnded || hasClosed) return;
      else if (this.#lost !== undefined) throw this.#lost;
      else {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
      }
    }
  }

  /** After the own `close` nothing is read. */
  #discard(): void {
    this.#inbox.discard();
    this.#acknowledge();
    this.#wake();
  }

  /** Few small messages are acknowledged together, or with the next message of this side. */
  #scheduleAck(): void {
    if (this.#inbox.isAckDue) this.#acknowledge();
    else this.#ackTimer ??= setTimeout(() => this.#acknowledge(), ackMs).unref();
  }

  /** To a peer that does not read, the latest number is sent when it reads again. */
  #acknowledge(): void {
    clearTimeout(this.#ackTimer);
    this.#ackTimer = undefined;
    if (this.#frames?.isFull === false)
      this.#frames.send(frameTypes.taken, encodeNumber(this.#inbox.acknowledge()));
  }

  #forget(upTo: number): void {
    if (!this.#outbox.hasSent(upTo)) {
      this.#violated("a message that was never sent");
      return;
    }
    this.#outbox.forget(upTo, this.#frames);
    this.#finishIfDone();
  }

  #finishIfDone(): void {
    if (this.#isClosing && this.#inbox.hasEnded && this.#outbox.isEmpty) this.#finish();
  }

  #finish(): void {
    clearInterval(this.#pings);
    this.#isClosing = true;
    this.#hasFinished = true;
    if (this.#lost === undefined) this.#acknowledge();
    this.#frames?.finish();
    this.#frames = undefined;
    this.#outbox.clear();
    this.#wake();
    this.#finished.resolve();
  }

  #violated(violation: string): void {
    this.#detach();
    this.lose(new ToolError("unavailable", `${this.#options.peer} broke the protocol: ${violation}`));
  }

  #failed(how: "ended" | "is closed"): ToolError {
    return new ToolError("unavailable", `The connection to ${this.#options.peer} ${how}`);
  }
}

const closeMs = 5000;
const ackMs = 20;
