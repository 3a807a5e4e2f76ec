import { isAscii, isUtf8 } from "node:buffer";
import { ToolError } from "../contract/error.ts";
import { byteOrderMarkLength, detectionBytes, detectUtf16, isMostlyUtf8 } from "../lib/text/encoding.ts";

/** One way to read a file for editing. Costly parts are computed on first use. */
export class Source {
  readonly path: string;
  readonly text: FileText;
  readonly #breaks: LineBreaks;
  #utf8: Utf8Text | undefined;
  #lines: LineTable | undefined;
  #hasCarriageReturns: boolean | undefined;

  constructor(path: string, text: FileText, breaks: LineBreaks) {
    this.path = path;
    this.text = text;
    this.#breaks = breaks;
  }

  get utf8(): Utf8Text {
    this.#utf8 ??= new Utf8Text(this.text.utf8);
    return this.#utf8;
  }

  get lines(): LineTable {
    this.#lines ??= new LineTable(this.utf8, this.#breaks);
    return this.#lines;
  }

  get hasCarriageReturns(): boolean {
    this.#hasCarriageReturns ??= this.text.utf8.includes(13);
    return this.#hasCarriageReturns;
  }
}

/** Yields the ways to read a file, most likely first, by encoding and by whether a lone carriage return ends a line. */
export function* sourcesOf(path: string, bytes: Uint8Array): Generator<Source> {
  const texts = readings(bytes);
  for (const text of texts) yield new Source(path, text, text.utf8.includes(10) ? "lf" : "any");
  for (const text of texts) {
    if (text.utf8.includes(10) && hasLoneCarriageReturn(text.utf8)) yield new Source(path, text, "any");
  }
}

function hasLoneCarriageReturn(utf8: Buffer): boolean {
  for (let at = utf8.indexOf(13); at !== -1; at = utf8.indexOf(13, at + 1))
    if (utf8[at + 1] !== 10) return true;
  return false;
}

/** A file's text, converted to UTF-8, with the conversion back to the file's encoding. */
interface FileText {
  /** The text without its byte-order mark. */
  readonly utf8: Buffer;
  fileOffset(offset: number): number;
  /** The encoding of new text, when it is a guess. */
  readonly guess?: "UTF-8" | "Latin-1";
  /** Encodes new text for the file. Throws `unsupported` for characters that its encoding lacks. */
  encode(text: string): Uint8Array;
}

/** Returns the ways to decode a file, most likely first. Invalid UTF-8 may have stray bytes, or be Latin-1. */
function readings(bytes: Uint8Array): readonly FileText[] {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = file.subarray(0, detectionBytes);
  if (isUtf8(file) && !head.includes(0)) return [fromUtf8(file)];
  const utf16 = detectUtf16(head);
  if (utf16) return [fromUtf16(file, utf16)];
  if (isUtf8(file)) return [fromUtf8(file)];
  const texts = [withStrayBytes(file), fromSingleBytes(file)];
  return isMostlyUtf8(file.toString()) ? texts : texts.reverse();
}

export function encodeUtf8(text: string): Uint8Array {
  refuseHalfCharacters(text);
  return Buffer.from(text);
}

export function refuseHalfCharacters(text: string): void {
  if (text.isWellFormed()) return;
  throw new ToolError(
    "invalid-input",
    "The text contains half of a surrogate pair, which is not a character",
    {
      hint: "Give the whole character, or omit the half.",
    },
  );
}

function fromUtf8(file: Buffer): FileText {
  const mark = byteOrderMarkLength(file);
  return { utf8: file.subarray(mark), fileOffset: (offset) => offset + mark, encode: encodeUtf8 };
}

function fromUtf16(file: Buffer, encoding: "utf-16le" | "utf-16be"): FileText {
  const mark = byteOrderMarkLength(file);
  const units = Buffer.from(file.subarray(mark, file.length - ((file.length - mark) % 2)));
  if (encoding === "utf-16be") units.swap16();
  const utf8 = Buffer.from(units.toString("utf16le"));
  return {
    utf8,
    fileOffset: (offset) => mark + 2 * utf8.toString("utf8", 0, offset).length,
    encode: (text) => {
      const encoded = Buffer.from(text, "utf16le");
      return encoding === "utf-16be" ? encoded.swap16() : encoded;
    },
  };
}

function fromSingleBytes(file: Buffer): FileText {
  const utf8 = Buffer.from(file.toString("latin1"));
  return {
    utf8,
    guess: "Latin-1",
    fileOffset: (offset) => utf8.toString("utf8", 0, offset).length,
    encode: (text) => {
      const foreign = /[^\0-\xff]/u.exec(text);
      if (!foreign) return Buffer.from(text, "latin1");
      const message = `The new text contains ${JSON.stringify(foreign[0])}, which the file's encoding, one byte per character, cannot represent`;
      const hint = "Use other characters, or convert the file to UTF-8 first.";
      throw new ToolError("unsupported", message, { hint });
    },
  };
}

/** A byte that is not UTF-8 is represented by a private character, U+F700 plus the byte. */
const strayBase = 0xf700;

function withStrayBytes(file: Buffer): FileText {
  const strayOffsets: number[] = [];
  const bytes = file.toString("latin1").replace(/[\x80-\xff]+/g, (run: string, start: number) => {
    let utf8 = "";
    for (let at = 0; at < run.length; ) {
      const size = sequenceLength(run, at);
      if (size === 0) strayOffsets.push(start + at + 2 * strayOffsets.length);
      utf8 +=
        size > 0 ? run.slice(at, at + size) : bytesOf(String.fromCharCode(strayBase + run.charCodeAt(at)));
      at += size || 1;
    }
    return utf8;
  });
  return {
    utf8: Buffer.from(bytes, "latin1"),
    guess: "UTF-8",
    fileOffset: (offset) => offset - 2 * countBelow(strayOffsets, offset),
    encode: (text) => Buffer.concat(text.split(strayPattern).map(encodePart)),
  };
}

function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

const strayPattern = /([\uf780-\uf7ff])/u;

function encodePart(part: string): Buffer {
  const code = part.length === 1 ? part.charCodeAt(0) : 0;
  return code >= strayBase + 0x80 && code <= strayBase + 0xff
    ? Buffer.of(code - strayBase)
    : Buffer.from(encodeUtf8(part));
}

/** Returns the length of the multi-byte UTF-8 character at `at`; 0 if there is none. */
function sequenceLength(bytes: string, at: number): number {
  const first = bytes.charCodeAt(at);
  if (first < 0xc2 || first > 0xf4) return 0;
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  // These bounds exclude overlong forms, surrogates and code points above U+10FFFF.
  let low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  let high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  for (let next = at + 1; next < at + size; next += 1) {
    const byte = bytes.charCodeAt(next);
    if (!(byte >= low && byte <= high)) return 0;
    low = 0x80;
    high = 0xbf;
  }
  return size;
}

/** A text in UTF-8. `bytes` is a string with one character per byte, which is faster to search than a buffer. */
export class Utf8Text {
  readonly buffer: Buffer;
  readonly length: number;
  readonly bytes: string;
  readonly #isAscii: boolean;

  constructor(buffer: Buffer) {
    this.buffer = buffer;
    this.length = buffer.length;
    this.bytes = buffer.toString("latin1");
    this.#isAscii = isAscii(buffer);
  }

  slice(start: number, end: number): string {
    return this.#isAscii ? this.bytes.slice(start, end) : this.buffer.toString("utf8", start, end);
  }
}

export function bytesOf(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString("latin1");
}

/** "lf": a line ends at a line feed, optionally after a carriage return. "any": also at a lone carriage return. */
type LineBreaks = "lf" | "any";

/** Line starts and ends of a text, found on demand. Lines are counted from 0. */
export class LineTable {
  readonly utf8: Utf8Text;
  readonly breaks: LineBreaks;
  /** The starts of the lines found so far, then the start of the next one. */
  readonly #starts: number[] = [0];

  constructor(utf8: Utf8Text, breaks: LineBreaks) {
    this.utf8 = utf8;
    this.breaks = breaks;
  }

  get count(): number {
    this.#find(Number.POSITIVE_INFINITY, this.utf8.length);
    return this.#starts.length - 1;
  }

  /** Whether there are at least `count` lines. It is cheaper than the property `count`. */
  hasLines(count: number): boolean {
    this.#find(count, this.utf8.length);
    return this.#starts.length > count;
  }

  /** Returns the first byte of a line; for the line after the last, the end of the text. */
  start(line: number): number {
    this.#find(line, this.utf8.length);
    return this.#starts[Math.min(line, this.#starts.length - 1)]!;
  }

  contentEnd(line: number): number {
    return this.start(line + 1) - this.lineEnd(line).length;
  }

  lineEnd(line: number): "" | "\n" | "\r\n" | "\r" {
    const end = this.start(line + 1);
    const start = this.#starts[line]!;
    if (end === start) return "";
    const { bytes } = this.utf8;
    const last = bytes.charCodeAt(end - 1);
    if (last === 10) return end - 2 >= start && bytes.charCodeAt(end - 2) === 13 ? "\r\n" : "\n";
    return last === 13 && this.breaks === "any" ? "\r" : "";
  }

  text(line: number): string {
    return this.utf8.slice(this.start(line), this.contentEnd(line));
  }

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

  /** Returns the line end of `line`, else that of the nearest line above that has one, else a line feed. */
  lineEndNear(line: number): string {
    const last = line < 0 ? Math.min(0, this.count - 1) : line;
    for (let above = last; above >= 0; above -= 1) {
      const end = this.start(above) < this.utf8.length ? this.lineEnd(above) : "";
      if (end !== "") return end;
    }
    return "\n";
  }

  /** Finds more lines until there are `count`, or one starts after `offset`, or the text ends. */
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
