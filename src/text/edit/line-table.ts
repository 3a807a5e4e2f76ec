/** "lf": a line ends at a line feed, a carriage return before it included; "any": also at a lone carriage return. */
export type LineBreaks = "lf" | "any";

/**
 * Where the lines of a text begin and end, found as far as they are asked for. Lines are counted from 0; a final line
 * end begins no further line.
 */
export class LineTable {
  readonly utf8: Buffer;
  readonly #breaks: LineBreaks;
  /** The starts of the lines found so far, then where the next one would start. */
  #starts: Int32Array;
  #found = 0;

  constructor(utf8: Buffer, breaks: LineBreaks) {
    this.utf8 = utf8;
    this.#breaks = breaks;
    this.#starts = new Int32Array(64 + (utf8.length >> 5));
  }

  get count(): number {
    this.#findUpTo(this.utf8.length);
    return this.#found;
  }

  /** The first byte of a line; for the line after the last, the end of the text. */
  start(line: number): number {
    while (this.#found < line && this.#starts[this.#found]! < this.utf8.length) this.#findNext();
    return this.#starts[Math.min(line, this.#found)]!;
  }

  /** The end of a line without its line end. */
  contentEnd(line: number): number {
    return this.start(line + 1) - this.lineEnd(line).length;
  }

  /** The characters that end the line; none for a last line without. */
  lineEnd(line: number): "" | "\n" | "\r\n" | "\r" {
    const end = this.start(line + 1);
    const start = this.#starts[line]!;
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
    this.#findUpTo(offset);
    let low = 0;
    let high = this.#found;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The line end a new line gets at `line`: its own, else that of the nearest line above. */
  lineEndNear(line: number): string {
    const last = line < 0 ? Math.min(0, this.count - 1) : line;
    for (let above = last; above >= 0; above -= 1) {
      const end = this.start(above) < this.utf8.length ? this.lineEnd(above) : "";
      if (end !== "") return end;
    }
    return "\n";
  }

  #findUpTo(offset: number): void {
    while (this.#starts[this.#found]! <= offset && this.#starts[this.#found]! < this.utf8.length)
      this.#findNext();
  }

  #findNext(): void {
    const start = this.#starts[this.#found]!;
    const next = this.#breaks === "lf" ? afterLineFeed(this.utf8, start) : afterAnyBreak(this.utf8, start);
    this.#found += 1;
    if (this.#found === this.#starts.length) this.#starts = enlarge(this.#starts);
    this.#starts[this.#found] = next;
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

function enlarge(starts: Int32Array): Int32Array {
  const larger = new Int32Array(starts.length * 2);
  larger.set(starts);
  return larger;
}
