/** "lf": a line ends at a line feed, a carriage return before it included; "any": also at a lone carriage return. */
export type LineBreaks = "lf" | "any";

/** Where the lines of a text begin and end. Lines are counted from 0; a final line end begins no further line. */
export class LineTable {
  readonly utf8: Buffer;
  readonly count: number;
  readonly #breaks: LineBreaks;
  readonly #starts: Int32Array;

  constructor(utf8: Buffer, breaks: LineBreaks) {
    this.utf8 = utf8;
    this.#breaks = breaks;
    let starts = new Int32Array(64);
    let count = 0;
    let start = 0;
    while (start < utf8.length) {
      if (count + 1 >= starts.length) starts = enlarge(starts);
      starts[count++] = start;
      start = breaks === "lf" ? afterLineFeed(utf8, start) : afterAnyBreak(utf8, start);
    }
    starts[count] = utf8.length;
    this.#starts = starts;
    this.count = count;
  }

  /** The first byte of a line; for the line after the last, the end of the text. */
  start(line: number): number {
    return this.#starts[line]!;
  }

  /** The end of a line without its line end. */
  contentEnd(line: number): number {
    const end = this.#starts[line + 1]!;
    return end - this.lineEnd(line).length;
  }

  /** The characters that end the line; none for a last line without. */
  lineEnd(line: number): "" | "\n" | "\r\n" | "\r" {
    const start = this.#starts[line]!;
    const end = this.#starts[line + 1]!;
    if (end === start) return "";
    const last = this.utf8[end - 1];
    if (last === 10) return end - 2 >= start && this.utf8[end - 2] === 13 ? "\r\n" : "\n";
    return last === 13 && this.#breaks === "any" ? "\r" : "";
  }

  /** A line without its line end. */
  text(line: number): string {
    return this.utf8.toString("utf8", this.start(line), this.contentEnd(line));
  }

  /** The line that holds the byte at `offset`. */
  lineAt(offset: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The line end a new line gets at `line`: its own, else that of the nearest line above. */
  lineEndNear(line: number): string {
    for (let above = Math.min(Math.max(line, 0), this.count - 1); above >= 0; above -= 1) {
      const end = this.lineEnd(above);
      if (end !== "") return end;
    }
    return "\n";
  }
}

function afterLineFeed(utf8: Buffer, from: number): number {
  return utf8.indexOf(10, from) + 1 || utf8.length;
}

function afterAnyBreak(utf8: Buffer, from: number): number {
  for (let at = from; at < utf8.length; at += 1) {
    if (utf8[at] === 10) return at + 1;
    if (utf8[at] === 13 && utf8[at + 1] !== 10) return at + 1;
  }
  return utf8.length;
}

function enlarge(starts: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(starts.length * 4);
  larger.set(starts);
  return larger;
}
