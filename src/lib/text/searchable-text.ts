import { isAscii, isUtf8 } from "node:buffer";
import { asBuffer } from "../bytes/bytes.ts";
import type { TextTraits } from "../rust-regex/rust-regex.ts";
import { byteOrderMarkLength, decodeText } from "./encoding.ts";

/** A file as ripgrep reads it: UTF-16 only with a byte-order mark, else UTF-8 with possible stray bytes. */
export interface SearchableText {
  /** The text without byte-order mark. Bytes that are not UTF-8 are lone surrogates; see `showStrayBytes`. */
  readonly text: string;
  readonly traits: TextTraits;
  /** Whether the file contains NUL bytes. */
  readonly binary: boolean;
}

export function toSearchableText(bytes: Uint8Array): SearchableText {
  const buffer = asBuffer(bytes);
  const markLength = byteOrderMarkLength(buffer);
  const content = markLength === 0 ? buffer : buffer.subarray(markLength);
  if (markLength === 2) {
    const { text } = decodeText(content, buffer[0] === 0xff ? "utf-16le" : "utf-16be");
    return asText(text, { ascii: false, strayBytes: false });
  }
  if (isAscii(content)) return asText(content.toString("latin1"), { ascii: true, strayBytes: false });
  if (isUtf8(content)) return asText(content.toString("utf8"), { ascii: false, strayBytes: false });
  return asText(decodeWithStrayBytes(content), { ascii: false, strayBytes: true });
}

/** Replaces stray bytes by U+FFFD. */
export function showStrayBytes(text: string): string {
  return text.toWellFormed();
}

function asText(text: string, traits: Pick<TextTraits, "ascii" | "strayBytes">): SearchableText {
  return { text, traits: { ...traits, carriageReturns: text.includes("\r") }, binary: text.includes("\0") };
}

/** Represents each byte that is not part of a character by a surrogate, U+DC80 to U+DCFF. */
function decodeWithStrayBytes(bytes: Buffer): string {
  const parts: string[] = [];
  let start = 0;
  let index = 0;
  while (index < bytes.length) {
    const length = characterLength(bytes, index);
    if (length === 0) {
      parts.push(bytes.toString("utf8", start, index), String.fromCharCode(0xdc00 + bytes[index]!));
      start = index + 1;
    }
    index += length || 1;
  }
  parts.push(bytes.toString("utf8", start));
  return parts.join("");
}

/** Returns the length of the valid UTF-8 character at `index`, 0 if there is none. */
function characterLength(bytes: Buffer, index: number): number {
  const lead = bytes[index]!;
  if (lead < 0x80) return 1;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  return lead >= 0xc2 && index + length <= bytes.length && isUtf8(bytes.subarray(index, index + length))
    ? length
    : 0;
}
