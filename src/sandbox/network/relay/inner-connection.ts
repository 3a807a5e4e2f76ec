import { Duplex } from "node:stream";
import { frameBytes, frameKinds, windowBytes } from "./frames.ts";

/** Puts a frame on the channel; `sent` is called once it has left. */
type Send = (kind: number, content?: Uint8Array, sent?: () => void) => void;

/**
 * Our end of a connection of a program inside. Neither side sends what the other has given no credit for, so a slow
 * reader stops only its own connection, and at most a window of it is held.
 */
export class InnerConnection extends Duplex {
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
    // Whoever holds it hears of errors by its end; nobody need listen.
    this.on("error", () => {});
  }

  /** False when the other side breaks the agreement. */
  heed(kind: number, content: Buffer): boolean {
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

  /** Nobody is there any more to tell. */
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
    // Nothing takes no credit: HTTP ends an answer with it, and would wait for ever.
    if (chunk.length === 0) {
      done();
      return;
    }
    const length = Math.min(chunk.length, this.#credit, frameBytes);
    const rest = chunk.subarray(length);
    const goOn = rest.length === 0 ? done : () => this._write(rest, "binary", done);
    if (length > 0) {
      this.#credit -= length;
      this.#send(frameKinds.data, chunk.subarray(0, length), goOn);
      return;
    }
    this.#waiting = () => {
      this.#waiting = undefined;
      goOn();
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
