import { isUtf8 } from "node:buffer";
import { ToolError } from "../contract/error.ts";
import { byteOrderMarkLength, detectionBytes, detectUtf16, isMostlyUtf8 } from "../lib/encoding.ts";
import { bytesOf } from "./utf8-text.ts";

/** A file's text in UTF-8, whatever it is stored in, and the way back to its own bytes. */
export interface FileText {
  /** The whole text without its byte-order mark. */
  readonly utf8: Buffer;
  /** Where an offset in `utf8` lies in the file. */
  fileOffset(offset: number): number;
  /** The encoding of new text, where that is a guess. */
  readonly guess?: "UTF-8" | "Latin-1";
  /** New text in the file's own encoding. Throws `unsupported` for what that encoding cannot hold. */
  encode(text: string): Uint8Array;
}

/**
 * The ways to read a file, the likely one first. There are two only where the bytes are not valid UTF-8: UTF-8 with
 * stray bytes in it, or one byte a character.
 */
export function readings(bytes: Uint8Array): readonly FileText[] {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = file.subarray(0, detectionBytes);
  if (isUtf8(file) && !head.includes(0)) return [fromUtf8(file)];
  const utf16 = detectUtf16(head);
  if (utf16) return [fromUtf16(file, utf16)];
  if (isUtf8(file)) return [fromUtf8(file)];
  const texts = [withStrayBytes(file), fromSingleBytes(file)];
  return isMostlyUtf8(file.toString()) ? texts : texts.reverse();
}

/** New content for a file that does not exist yet. */
export function encodeUtf8(text: string): Uint8Array {
  refuseHalfCharacters(text);
  return Buffer.from(text);
}

export function refuseHalfCharacters(text: string): void {
  if (text.isWellFormed()) return;
  throw new ToolError("invalid-input", "The text holds half of a surrogate pair, which is no character", {
    hint: "Give the whole character, or leave the half out.",
  });
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
      if (foreign) throw notEncodable(JSON.stringify(foreign[0]), "one byte a character (it is not UTF-8)");
      return Buffer.from(text, "latin1");
    },
  };
}

/** A byte that is no UTF-8 stands in `utf8` as a private character, U+F700 plus the byte. */
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

/** How many of the sorted numbers are less than `limit`. */
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

/** Bytes of the UTF-8 character beyond ASCII at `at`, 0 when there is none. */
function sequenceLength(bytes: string, at: number): number {
  const first = bytes.charCodeAt(at);
  if (first < 0xc2 || first > 0xf4) return 0;
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  // No longer forms than needed, no halves of surrogate pairs, nothing beyond U+10FFFF.
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

function notEncodable(what: string, encoding: string): ToolError {
  return new ToolError(
    "unsupported",
    `The new text holds ${what}, which the file cannot: its encoding is ${encoding}`,
    {
      hint: "Write it in other characters, or convert the file to UTF-8 first.",
    },
  );
}
