import type { Readable } from "node:stream";

// What waits for a reader before the program has to wait, and what is kept of a stream nobody has begun to read.
const waitingBytes = 1024 * 1024;

/**
 * One output of a program, for one reader. A reader that falls behind makes the program wait, so nothing is lost and
 * memory stays bounded. Of a stream that nobody has begun to read the first megabyte is kept and the rest dropped:
 * the program must not hang because nobody cares. The same when a reader leaves.
 */
export class OutputStream implements AsyncIterable<Uint8Array> {
  readonly #stream: Readable;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #reader: "none" | "reading" | "gone" = "none";
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(stream: Readable) {
    this.#stream = stream;
    stream.on("data", (bytes: Uint8Array) => this.#take(bytes));
    for (const event of ["end", "close", "error"]) stream.on(event, () => this.#end());
  }

  /** The program has gone; somebody it started may still hold the pipe. What is in it is read, then it is let go. */
  endSoon(drainMs: number): void {
    if (this.#ended) return;
    const letGo = () => {
      if (this.#stream.isPaused()) setTimeout(letGo, drainMs);
      else this.#stream.destroy();
    };
    setTimeout(letGo, drainMs);
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    if (this.#reader !== "none") throw new Error("An output has one reader");
    this.#reader = "reading";
    try {
      for (;;) {
        const next = this.#waiting.shift();
        if (next !== undefined) {
          this.#waitingBytes -= next.length;
          if (this.#waitingBytes < waitingBytes) this.#stream.resume();
          yield next;
        } else if (this.#ended) {
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
    if (this.#reader === "gone" || (this.#reader === "none" && this.#waitingBytes >= waitingBytes)) return;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#reader === "reading" && this.#waitingBytes >= waitingBytes) this.#stream.pause();
    this.#wake?.();
  }

  #end(): void {
    this.#ended = true;
    this.#wake?.();
  }
}
