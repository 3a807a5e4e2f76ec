/** The lines of a text and where they are; a final line end begins no further line. */
export class LinePlaces {
  readonly #text: string;
  readonly #starts: readonly number[];

  constructor(text: string) {
    this.#text = text;
    const breaks = text.includes("\n") ? /\n/g : /\r/g;
    const starts = [0, ...Array.from(text.matchAll(breaks), ({ index }) => index + 1)];
    this.#starts = starts.length > 1 && starts.at(-1) === text.length ? starts.slice(0, -1) : starts;
  }

  /** An empty text has one line, which is empty. */
  get count(): number {
    return this.#starts.length;
  }

  /** Where a line begins, counted from 1. */
  start(line: number): number {
    return this.#starts[line - 1]!;
  }

  /** Where a line ends, before its line end. */
  end(line: number): number {
    const next = this.next(line);
    return next - /(?:\r\n|\n|\r)?$/.exec(this.#text.slice(this.start(line), next))![0].length;
  }

  /** Where the line after it begins, or the text ends. */
  next(line: number): number {
    return this.#starts[line] ?? this.#text.length;
  }

  /** Without its line end. */
  text(line: number): string {
    return this.#text.slice(this.start(line), this.end(line));
  }
}
