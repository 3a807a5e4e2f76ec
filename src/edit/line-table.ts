import type { Utf8Text } from "./utf8-text.ts";

/** "lf": a line ends at a line feed, a carriage return before it included; "any": also at a lone carriage return. */
export type LineBreaks = "lf" | "any";

/**
 * Where the lines of a text begin and end, found as far as they are asked for. Lines are counted from 0; a final line
 * end begins no further line.
 */
export class LineTable {
  readonly utf8: Utf8Text;
  readonly breaks: LineBreaks;
  /** The starts of the lines found so far, then where the next one would start. */
  readonly #starts: number[] = [0];

  constructor(utf8: Utf8Text, breaks: LineBreaks) {
    this.utf8 = utf8;
    this.breaks = breaks;
  }

  get count(): number {
    this.#find(Number.POSITIVE_INFINITY, this.utf8.length);
    return this.#starts.length - 1;
  }

  /** Whether there are as many lines; quicker to tell than how many there are. */
  hasLines(count: number): boolean {
    this.#find(count, this.utf8.length);
    return this.#starts.length > count;
  }

  /** The first byte of a line; for the line after the last, the end of the text. */
  start(line: number): number {
    this.#find(line, this.utf8.length);
    return this.#starts[Math.min(line, this.#starts.length - 1)]!;
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
    const { bytes } = this.utf8;
    const last = bytes.charCodeAt(end - 1);
    if (last === 10) return end - 2 >= start && bytes.charCodeAt(end - 2) === 13 ? "\r\n" : "\n";
    return last === 13 && this.breaks === "any" ? "\r" : "";
  }

  /** A line without its line end. */
  text(line: number): string {
    return this.utf8.slice(this.start(line), this.contentEnd(line));
  }

  /** The line that holds the byte at `offset`. */
  lineAt(offset: number): number {
    this.#find(Number.POSITIVE_INFINITY, offset);
    let low = 0;
    let high = this.#starts.length - 1;
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

  /** Goes on until so many lines are found, or one that starts after `offset`, or the text ends. */
  #find(count: number, offset: number): void {
    const { bytes, length } = this.utf8;
    const starts = this.#starts;
    const afterBreak = this.breaks === "lf" ? afterLineFeed : afterAnyBreak;
    let next = starts[starts.length - 1]!;
    while (starts.length <= count && next <= offset && next < length) {
      next = afterBreak(bytes, next);
      starts.push(next);
    }
  }
}

function afterLineFeed(bytes: string, from: number): number {
  return bytes.indexOf("\n", from) + 1 || bytes.length;
}

function afterAnyBreak(bytes: string, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes.charCodeAt(at);
    if (byte === 10 || (byte === 13 && bytes.charCodeAt(at + 1) !== 10)) return at + 1;
  }
  return bytes.length;
}
