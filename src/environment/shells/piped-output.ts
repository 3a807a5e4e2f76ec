import { Socket } from "node:net";
import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import type { ComplaintFilter } from "./complaint-filter.ts";

// What a job in the background still writes when its command has ended is taken for a part of it until it is quiet for
// a round, for some rounds at most.
const roundMs = 50;
const maxRounds = 4;

/**
 * One output of one command, by a named pipe of which each command opens its own end. When the command has ended, the
 * pipe is read on for as long as something holds it, into nothing: a server must not die of its log.
 */
export class PipedOutput {
  /** For one reader, who makes the command wait when he is behind. */
  readonly stream: Readable;
  /** When nobody holds the pipe any more. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #onData: (bytes: Uint8Array) => void;
  readonly #filter: ComplaintFilter | undefined;
  #isClosed = false;
  #received = 0;
  #unseenBytes = 0;
  #isFinished = false;

  /** `fd`: a pipe, opened for reading before anybody opens it for writing. */
  constructor(fd: number, onData: (bytes: Uint8Array) => void, filter?: ComplaintFilter) {
    this.#onData = onData;
    this.#filter = filter;
    this.#socket = new Socket({ fd, readable: true, writable: false });
    this.stream = new Readable({ read: () => this.#socket.resume() });
    this.#socket.on("data", (bytes: Uint8Array) => {
      this.#received += bytes.length;
      if (this.#isFinished) {
        this.#unseenBytes += bytes.length;
        return;
      }
      this.#pass(this.#filter?.take(bytes) ?? bytes);
    });
    this.#socket.on("error", () => {});
    this.closed = new Promise((resolve) => {
      this.#socket.once("close", () => {
        this.#isClosed = true;
        this.#end();
        resolve();
      });
    });
  }

  /** To be told when the command has ended: what it wrote is in the pipe by now. */
  async finish(): Promise<void> {
    let before = -1;
    for (let rounds = 0; !this.#isClosed && rounds < maxRounds; ) {
      const isBehind = this.#socket.isPaused();
      if (!isBehind && this.#received === before) break;
      before = this.#received;
      if (!isBehind) rounds += 1;
      await Promise.race([setTimeout(roundMs, undefined, { ref: false }), this.closed]);
    }
    this.#end();
    this.#socket.resume();
  }

  /** Bytes that came after the end, since this was last asked. */
  takeUnseen(): number {
    const bytes = this.#unseenBytes;
    this.#unseenBytes = 0;
    return bytes;
  }

  close(): void {
    this.#socket.destroy();
  }

  #end(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    if (this.#filter !== undefined) this.#pass(this.#filter.end());
    this.stream.push(null);
  }

  #pass(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#onData(bytes);
    if (!this.stream.push(bytes)) this.#socket.pause();
  }
}
