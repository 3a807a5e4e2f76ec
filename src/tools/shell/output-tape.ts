import { releaseBytes } from "../../lib/release-bytes.ts";

/** One of the two outputs of a command. */
export type StreamName = "stdout" | "stderr";

export const streamNames = ["stdout", "stderr"] as const;

/** Bytes of one stream that were said in one go, and when: the order of all pieces of both streams. */
export interface Piece {
  readonly order: number;
  readonly bytes: Uint8Array;
}

/** The first and the last of one stream; what lies between is counted and forgotten. */
export interface Ends {
  readonly head: readonly Piece[];
  readonly tail: readonly Piece[];
  readonly lostBytes: number;
  readonly totalBytes: number;
}

/** So much of each end of each stream is held. */
export const heldBytes: number = 256 * 1024;

/**
 * Beginning and end of the two outputs of a command, in memory of its own, each piece with its place in the order of
 * arrival. Endless output costs constant memory, and one stream never pushes out the other.
 */
export class OutputTape {
  readonly #sides: Readonly<Record<StreamName, Side>> = { stdout: new Side(), stderr: new Side() };
  #order = 0;
  #last: StreamName | undefined;

  add(stream: StreamName, bytes: Uint8Array): void {
    if (stream !== this.#last) this.#order += 1;
    this.#last = stream;
    this.#sides[stream].add(bytes, this.#order);
  }

  ends(stream: StreamName): Ends {
    return this.#sides[stream].ends();
  }
}

class Side {
  readonly #head: Piece[] = [];
  #headBytes = 0;
  #tail: Piece[] = [];
  #tailStart = 0;
  #tailBytes = 0;
  #totalBytes = 0;

  add(bytes: Uint8Array, order: number): void {
    this.#totalBytes += bytes.length;
    const room = heldBytes - this.#headBytes;
    const first = bytes.subarray(0, room);
    if (first.length > 0) {
      this.#head.push({ order, bytes: copyOf(first) });
      this.#headBytes += first.length;
    }
    if (bytes.length > room) this.#addToTail(bytes.subarray(room), order);
  }

  ends(): Ends {
    const lostBytes = this.#totalBytes - this.#headBytes - this.#tailBytes;
    return {
      head: this.#head,
      tail: this.#tail.slice(this.#tailStart),
      lostBytes,
      totalBytes: this.#totalBytes,
    };
  }

  #addToTail(bytes: Uint8Array, order: number): void {
    const part = copyOf(bytes.subarray(-heldBytes));
    this.#tail.push({ order, bytes: part });
    this.#tailBytes += part.length;
    for (let oldest = this.#tail[this.#tailStart]!; this.#tailBytes - oldest.bytes.length >= heldBytes; ) {
      this.#tailBytes -= oldest.bytes.length;
      releaseBytes(oldest.bytes);
      this.#tailStart += 1;
      oldest = this.#tail[this.#tailStart]!;
    }
    if (this.#tailStart < this.#tail.length / 2) return;
    this.#tail = this.#tail.slice(this.#tailStart);
    this.#tailStart = 0;
  }
}

/** A part would keep the larger memory that it is cut from. */
function copyOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}
