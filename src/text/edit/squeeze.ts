import { foldCharacter } from "./glyphs.ts";
import type { LineTable } from "./line-table.ts";

/**
 * A text without its blanks and line ends, in plain glyphs. Whatever tolerance finds has the same letters in the same
 * order, so one search here yields every candidate of every tier.
 */
export interface Squeezed {
  readonly bytes: Buffer;
  /** Where a line begins in `bytes`. */
  start(line: number): number;
  /** The line that holds the byte at `offset`. */
  lineAt(offset: number): number;
}

export function squeezeLines(lines: LineTable): Squeezed {
  const { utf8, count } = lines;
  const starts = new Int32Array(count + 1);
  let output: Uint8Array = new Uint8Array(utf8.length);
  let length = 0;
  let at = 0;
  for (let line = 0; line < count; line += 1) {
    starts[line] = length;
    const end = lines.start(line + 1);
    while (at < end) {
      const byte = utf8[at]!;
      at += 1;
      if (byte > 32 && byte < 128) {
        output[length] = byte;
        length += 1;
      } else if (byte >= 128) {
        const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
        // A character decomposes into at most 18 bytes of UTF-8.
        if (length + 32 + utf8.length - at > output.length) output = enlarge(output);
        length = writeFolded(output, length, utf8, at - 1, size);
        at += size - 1;
      } else if (byte < 9 || (byte > 13 && byte < 32)) {
        output[length] = byte;
        length += 1;
      }
    }
  }
  starts[count] = length;
  return {
    bytes: Buffer.from(output.buffer, 0, length),
    start: (line) => starts[line]!,
    lineAt: (offset) => lastAtMost(starts, offset),
  };
}

/** A single text squeezed, to be looked for. */
export function squeezeText(text: string): Buffer {
  let squeezed = "";
  for (const character of text) {
    const code = character.charCodeAt(0);
    if (code >= 128) squeezed += squeezedCharacter(code, character);
    else if (code > 32 || code < 9 || (code > 13 && code < 32)) squeezed += character;
  }
  return Buffer.from(squeezed);
}

function writeFolded(output: Uint8Array, length: number, utf8: Buffer, at: number, size: number): number {
  if (size === 3) {
    const code = ((utf8[at]! & 15) << 12) | ((utf8[at + 1]! & 63) << 6) | (utf8[at + 2]! & 63);
    // Ideographs, the bulk of such text, stay as they are.
    if (code >= 0x4e00 && code <= 0x9fff) {
      output[length] = utf8[at]!;
      output[length + 1] = utf8[at + 1]!;
      output[length + 2] = utf8[at + 2]!;
      return length + 3;
    }
  }
  const character = utf8.toString("utf8", at, at + size);
  const folded = squeezedBytes(character);
  output.set(folded, length);
  return length + folded.length;
}

const bytesOfCharacter = new Map<string, Uint8Array>();

function squeezedBytes(character: string): Uint8Array {
  let bytes = bytesOfCharacter.get(character);
  if (!bytes) {
    bytes = Buffer.from(squeezedCharacter(character.charCodeAt(0), character));
    if (bytesOfCharacter.size > 20_000) bytesOfCharacter.clear();
    bytesOfCharacter.set(character, bytes);
  }
  return bytes;
}

/** Lost bytes may stand for any number of characters, so they are left out altogether. */
function squeezedCharacter(code: number, character: string): string {
  if (code >= 0x4e00 && code <= 0x9fff) return character;
  const folded = foldCharacter(character);
  return folded === " " || folded === "\ufffd" ? "" : folded;
}

function enlarge(output: Uint8Array): Uint8Array {
  const larger = new Uint8Array(output.length * 2 + 64);
  larger.set(output);
  return larger;
}

/** Among equal starts the last: lines before it are blank. */
function lastAtMost(starts: Int32Array, offset: number): number {
  let low = 0;
  let high = starts.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
