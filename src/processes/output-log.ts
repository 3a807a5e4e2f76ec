import type { Outputs, StoredOutput } from "../contract/output.ts";
import { releaseBytes } from "../lib/bytes/bytes.ts";

/**
 * The latest output of a process, both streams in order of arrival, as UTF-8 in a ring buffer. Long-lived strings would
 * take a hundred times the memory.
 */
export class OutputLog {
  readonly capacity: number;
  readonly #listeners = new Set<LogListener>();
  #ring: Buffer;
  #pieces: HeldPiece[] = [];
  /** The number of dropped pieces at the front. They are removed in batches. */
  #forgotten = 0;
  #end = 0;

  constructor(capacity: number = usualCapacity) {
    this.capacity = capacity;
    this.#ring = Buffer.alloc(Math.min(smallestRing, capacity));
  }

  /** The number of bytes ever written, which is the cursor of the next output. */
  get end(): number {
    return this.#end;
  }

  /** The cursor of the first byte that is still held. */
  get start(): number {
    return this.#pieces[this.#forgotten]?.at ?? this.#end;
  }

  append(stream: Stream, text: string): void {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) {
      const until = startOfCharacter(bytes, Math.min(at + this.capacity / 4, bytes.length));
      this.#add(stream, bytes.subarray(at, until));
      at = until;
    }
    if (bytes.length > 0) for (const listener of this.#listeners) listener(stream, text);
  }

  /** Calls the listener for new output, until the returned function is called. */
  listen(listener: LogListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Yields the output from a cursor on, of one stream or both. A cursor inside a character means the next character. */
  *after(cursor: number, stream?: Stream): Generator<Piece> {
    for (const piece of this.#held()) {
      if (stream !== undefined && piece.stream !== stream) continue;
      if (cursor >= piece.at + piece.length) continue;
      const bytes = this.#read(piece.at, piece.length);
      const skipped = nextCharacter(bytes, Math.max(cursor - piece.at, 0));
      if (skipped < bytes.length)
        yield { stream: piece.stream, at: piece.at + skipped, text: bytes.toString("utf8", skipped) };
    }
  }

  #add(stream: Stream, bytes: Buffer): void {
    this.#makeSpace(bytes.length);
    const last = this.#pieces.at(-1);
    if (last?.stream === stream && last.length < joinedBytes) last.length += bytes.length;
    else this.#pieces.push({ stream, at: this.#end, length: bytes.length });
    this.#write(bytes);
    this.#end += bytes.length;
  }

  #write(bytes: Buffer): void {
    const at = this.#end % this.#ring.length;
    const untilTop = bytes.copy(this.#ring, at);
    bytes.copy(this.#ring, 0, untilTop);
  }

  #read(at: number, length: number): Buffer {
    const from = at % this.#ring.length;
    const untilTop = this.#ring.subarray(from, from + length);
    if (untilTop.length === length) return untilTop;
    return Buffer.concat([untilTop, this.#ring.subarray(0, length - untilTop.length)]);
  }

  #makeSpace(bytes: number): void {
    const needed = () => this.#end - this.start + bytes;
    if (needed() > this.#ring.length && this.#ring.length < this.capacity) this.#grow(needed());
    const isTooMuch = () =>
      needed() > this.#ring.length || this.#pieces.length - this.#forgotten >= maxPieces;
    while (this.#forgotten < this.#pieces.length && isTooMuch()) this.#forgotten += 1;
    if (this.#forgotten < maxPieces) return;
    this.#pieces = this.#held();
    this.#forgotten = 0;
  }

  #grow(needed: number): void {
    const { start } = this;
    const held = Buffer.from(this.#read(start, this.#end - start));
    const size = Math.min(Math.max(needed, this.#ring.length * 2), this.capacity);
    this.#ring = Buffer.alloc(size);
    const untilTop = held.copy(this.#ring, start % size);
    held.copy(this.#ring, 0, untilTop);
  }

  #held(): HeldPiece[] {
    return this.#pieces.slice(this.#forgotten);
  }
}

/** Returns the last start of a character up to `index`. */
function startOfCharacter(bytes: Buffer, index: number): number {
  let start = Math.floor(index);
  while (start < bytes.length && isInside(bytes[start]!)) start -= 1;
  return start;
}

function nextCharacter(bytes: Buffer, index: number): number {
  let next = index;
  while (next < bytes.length && isInside(bytes[next]!)) next += 1;
  return next;
}

/** Whether a byte of UTF-8 continues a character. */
function isInside(byte: number): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000;
}

export type Stream = "stdout" | "stderr";
type LogListener = (stream: Stream, text: string) => void;

interface Piece {
  readonly stream: Stream;
  /** The cursor of its first byte. */
  readonly at: number;
  readonly text: string;
}

interface HeldPiece {
  readonly stream: Stream;
  readonly at: number;
  length: number;
}

const usualCapacity = 1024 * 1024;
const smallestRing = 4 * 1024;
const maxPieces = 16 * 1024;
const joinedBytes = 8 * 1024;

/** Redacts secrets in a text that comes in pieces. Holds back text that could be the beginning of a secret. */
export interface Redactor {
  push(text: string): string;
  end(): string;
}

/** Logs one stream of a process, without secrets, until the stream ends. */
export async function readOutput(
  stream: Stream,
  bytes: AsyncIterable<Uint8Array>,
  into: {
    readonly log: OutputLog;
    readonly whole: WholeOutput;
    readonly redactor: Redactor;
    readonly onOutput: () => void;
  },
): Promise<void> {
  const { log, whole, redactor, onOutput } = into;
  const decoder = new TextDecoder();
  const take = async (text: string) => {
    if (text === "") return;
    log.append(stream, text);
    await whole.write(text);
  };
  // An unfinished line after a pause is a prompt, or the end of the output.
  const pause = setTimeout(() => void take(redactor.end()), pauseMs).unref();
  for await (const piece of bytes) {
    onOutput();
    const text = decoder.decode(piece, { stream: true });
    releaseBytes(piece);
    await take(redactor.push(text));
    pause.refresh();
  }
  clearTimeout(pause);
  await take(redactor.push(decoder.decode()) + redactor.end());
}

const pauseMs = 150;

/** Stores the whole output once the log is half full; most processes never print so much. */
export class WholeOutput {
  readonly #log: OutputLog;
  readonly #outputs: Outputs | undefined;
  #kept: StoredOutput | undefined;

  constructor(log: OutputLog, outputs: Outputs | undefined) {
    this.#log = log;
    this.#outputs = outputs;
  }

  get handle(): string | null {
    return this.#kept === undefined || this.#kept.isLost ? null : this.#kept.handle;
  }

  /** Stores text that was just logged. Waits while the disk is behind. */
  async write(text: string): Promise<void> {
    if (this.#kept?.isFull === true) return;
    if (this.#kept !== undefined) return this.#kept.write(text);
    if (this.#outputs === undefined || this.#log.end < this.#log.capacity / 2) return;
    this.#kept = this.#outputs.begin();
    await this.#kept.write(Array.from(this.#log.after(0), (piece) => piece.text).join(""));
  }

  async end(): Promise<void> {
    await this.#kept?.end({ keep: true });
  }
}
