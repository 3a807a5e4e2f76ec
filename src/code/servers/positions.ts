import type { LinePosition } from "../../contract/language-server.ts";

/** The lines of a text as the protocol counts them: "\n", "\r\n" and "\r" end a line. */
export class TextLines {
  readonly #text: string;
  readonly #starts: number[] = [0];

  constructor(text: string) {
    this.#text = text;
    for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) this.#starts.push(index + end.length);
  }

  /** Returns the offset of a position; undefined when the text has no such position. */
  offsetAt({ line, character }: LinePosition): number | undefined {
    const start = this.#starts[line];
    if (start === undefined) return undefined;
    const offset = start + character;
    return offset <= this.#endOf(line) ? offset : undefined;
  }

  positionAt(offset: number): LinePosition {
    let [low, high] = [0, this.#starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return { line: low, character: offset - this.#starts[low]! };
  }

  /** Returns a line without its end; "" when there is none. */
  lineAt(line: number): string {
    const start = this.#starts[line];
    return start === undefined ? "" : this.#text.slice(start, this.#endOf(line));
  }

  #endOf(line: number): number {
    let end = this.#starts[line + 1] ?? this.#text.length;
    // The next line begins after "\n", "\r\n" or "\r".
    if (end > this.#starts[line]! && this.#text[end - 1] === "\n") end -= 1;
    if (end > this.#starts[line]! && this.#text[end - 1] === "\r") end -= 1;
    return end;
  }
}
