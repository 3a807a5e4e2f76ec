/** The latest that a process has said, both streams in the order in which it came. Memory is bounded. */
export class OutputLog {
  #pieces: Piece[] = [];
  /** Pieces at the front that are forgotten: to move all others up each time would cost too much. */
  #forgotten = 0;
  readonly capacity: number;
  readonly #listeners = new Set<LogListener>();
  #end = 0;

  constructor(capacity: number = usualCapacity) {
    this.capacity = capacity;
  }

  /** Characters ever said: the cursor of what comes next. */
  get end(): number {
    return this.#end;
  }

  /** The cursor of the first character that is still held. */
  get start(): number {
    return this.#pieces[this.#forgotten]?.at ?? this.#end;
  }

  append(stream: Stream, text: string): void {
    if (text === "") return;
    const last = this.#pieces.at(-1);
    if (last?.stream === stream && last.text.length < joinedChars) last.text += text;
    else this.#pieces.push({ stream, at: this.#end, text });
    this.#end += text.length;
    this.#forget();
    for (const listener of this.#listeners) listener(stream, text);
  }

  /** Told of what is said from now on, until the returned function is called. */
  listen(listener: LogListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What is held from a cursor on, of one stream or of both. */
  *after(cursor: number, stream?: Stream): Generator<Piece> {
    for (const piece of this.#held()) {
      if (stream !== undefined && piece.stream !== stream) continue;
      const skipped = wholeCharacters(piece.text, Math.max(cursor - piece.at, 0));
      if (skipped >= piece.text.length) continue;
      yield { stream: piece.stream, at: piece.at + skipped, text: piece.text.slice(skipped) };
    }
  }

  #held(): Piece[] {
    return this.#pieces.slice(this.#forgotten);
  }

  #forget(): void {
    const count = () => this.#pieces.length - this.#forgotten;
    const isTooMuch = () => count() > maxPieces || this.#end - this.start > this.capacity;
    for (; count() > 1 && isTooMuch(); this.#forgotten += 1) this.#pieces[this.#forgotten] = forgotten;
    if (this.#forgotten < maxPieces) return;
    this.#pieces = this.#held();
    this.#forgotten = 0;
  }
}

/** Who names a place inside a character means the next one. */
function wholeCharacters(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return index > 0 && code >= 0xdc00 && code <= 0xdfff ? index + 1 : index;
}

export type Stream = "stdout" | "stderr";
export type LogListener = (stream: Stream, text: string) => void;

export interface Piece {
  readonly stream: Stream;
  /** The cursor of its first character. */
  readonly at: number;
  text: string;
}

const forgotten: Piece = { stream: "stdout", at: 0, text: "" };

const usualCapacity = 1024 * 1024;
const maxPieces = 16 * 1024;
const joinedChars = 8 * 1024;
