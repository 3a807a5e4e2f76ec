import type { Readable } from "node:stream";

// What may wait for a reader before the program has to, and what is kept of an output nobody has begun to read.
const waitingBytes = 1024 * 1024;

// After the program has gone, what it left in the pipe is read until it is quiet for a round, for some rounds at most.
const roundMs = 50;
const maxRounds = 4;

/**
 * One output of a program, for one reader. A reader that falls behind makes the program wait, so nothing is lost and
 * memory stays bounded. Of an output that nobody has begun to read, the first megabyte is kept and the rest dropped:
 * the program must not hang because nobody cares. The same when a reader leaves.
 */
export class OutputStream implements AsyncIterable<Uint8Array> {
  readonly #stream: Readable;
  readonly #onData: (bytes: Uint8Array) => void;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #reader: "expected" | "reading" | "gone" = "expected";
  #receivedBytes = 0;
  #hasEnded = false;
  #wake: (() => void) | undefined;

  /** `onData`: told of all that comes, whether somebody reads it or not. */
  constructor(stream: Readable, onData: (bytes: Uint8Array) => void = () => {}) {
    this.#stream = stream;
    this.#onData = onData;
    stream.on("data", (bytes: Uint8Array) => this.#take(bytes));
    for (const event of ["end", "close", "error"]) stream.on(event, () => this.#end());
  }

  /** The program has gone, but something it started may hold the pipe for ever. */
  endSoon(): void {
    let rounds = 0;
    let receivedBefore = -1;
    const look = () => {
      if (this.#hasEnded) return;
      const isQuiet = this.#receivedBytes === receivedBefore && !this.#stream.isPaused();
      receivedBefore = this.#receivedBytes;
      if (isQuiet || rounds >= maxRounds) {
        this.#stream.destroy();
        return;
      }
      // While the reader is behind, the pipe is not being emptied.
      if (!this.#stream.isPaused()) rounds += 1;
      // Timers come before reading in a turn, immediates after it: what is in the pipe has had its chance then.
      setTimeout(() => setImmediate(look), roundMs).unref();
    };
    look();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    if (this.#reader !== "expected") throw new Error("The output of a program has one reader");
    this.#reader = "reading";
    try {
      for (;;) {
        const next = this.#waiting.shift();
        if (next !== undefined) {
          this.#waitingBytes -= next.length;
          if (this.#waitingBytes < waitingBytes) this.#stream.resume();
          yield next;
        } else if (this.#hasEnded) {
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      this.#reader = "gone";
      this.#waiting = [];
      this.#stream.resume();
    }
  }

  #take(bytes: Uint8Array): void {
    this.#receivedBytes += bytes.length;
    this.#onData(bytes);
    const isFull = this.#waitingBytes >= waitingBytes;
    if (this.#reader === "gone" || (this.#reader === "expected" && isFull)) return;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#reader === "reading" && this.#waitingBytes >= waitingBytes) this.#stream.pause();
    this.#wake?.();
  }

  #end(): void {
    this.#hasEnded = true;
    this.#wake?.();
  }
}
