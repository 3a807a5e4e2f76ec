/** The lines of a text and where they are; a final line end begins no further line. */
export class LinePlaces {
  readonly #text: string;
  readonly #starts: readonly number[];
  readonly #lineEnd: RegExp;

  constructor(text: string) {
    this.#text = text;
    // A lone carriage return ends a line where no line feed does.
    const [mark, last] = text.includes("\n") ? ["\n", /\r?\n$/] : ["\r", /\r$/];
    this.#lineEnd = last;
    const starts = [0];
    for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) starts.push(at + 1);
    if (starts.length > 1 && starts.at(-1) === text.length) starts.pop();
    this.#starts = starts;
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
    const lineEnd = this.#lineEnd.exec(this.#text.slice(Math.max(this.start(line), next - 2), next));
    return next - (lineEnd?.[0].length ?? 0);
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
