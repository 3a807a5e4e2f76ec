import { isUtf8 as isWholeUtf8 } from "node:buffer";
import type { TextEncoding } from "../../contract/environment.ts";
import { asBuffer } from "../bytes/bytes.ts";

/** The length of the beginning of a file from which its encoding is detected. */
export const detectionBytes: number = 64 * 1024;

/** Detects the encoding from a file's beginning. Without `complete`, a character may be cut at its end. */
export function detectEncoding(head: Uint8Array, options: { complete: boolean }): TextEncoding | "binary" {
  if (hasUtf8Mark(head)) return "utf-8-bom";
  const utf16 = detectUtf16(head);
  if (utf16) return utf16;
  if (head.includes(0)) return "binary";
  return isUtf8(head, options) || isMostlyUtf8(tolerantDecoder.decode(head)) ? "utf-8" : "latin1";
}

/** Returns the encoding of a whole file, detected from its beginning. */
export function encodingOf(file: Uint8Array): TextEncoding | "binary" {
  return detectEncoding(file.subarray(0, detectionBytes), { complete: file.length <= detectionBytes });
}

/** Decodes a whole file. Binary content is decoded as Latin-1. */
export function decodeFile(file: Uint8Array): string {
  const encoding = detectEncoding(file, { complete: true });
  return decodeText(file, encoding === "binary" ? "latin1" : encoding).text;
}

export function detectUtf16(head: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (byteOrderMarkLength(head) === 2) return head[0] === 0xff ? "utf-16le" : "utf-16be";
  return head.includes(0) && !hasUtf8Mark(head) ? guessUtf16(head) : undefined;
}

/**
 * Returns the length of UTF-8 as a JavaScript string. A character counts where it begins, so that parts can be added
 * up.
 */
export function utf16Units(bytes: Uint8Array): number {
  let units = 0;
  for (const byte of bytes) if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1;
  return units;
}

/** Returns the length in bytes of a file's byte-order mark, given its beginning. */
export function byteOrderMarkLength(head: Uint8Array): number {
  if (hasUtf8Mark(head)) return 3;
  return (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff) ? 2 : 0;
}

function hasUtf8Mark(head: Uint8Array): boolean {
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf;
}

/**
 * Decodes bytes without their byte-order mark. Never fails: stray bytes in UTF-8 become U+FFFD, where edits find them.
 * Content that turns out not to be UTF-8 is decoded as Latin-1, and `encoding` says so.
 */
export function decodeText(
  bytes: Uint8Array,
  encoding: TextEncoding,
): { readonly text: string; readonly encoding: TextEncoding } {
  switch (encoding) {
    case "utf-8":
    case "utf-8-bom":
      try {
        return { text: utf8Decoder.decode(bytes), encoding };
      } catch {
        const text = tolerantDecoder.decode(bytes);
        if (isMostlyUtf8(text)) return { text, encoding };
        return { text: asBuffer(bytes).toString("latin1"), encoding: "latin1" };
      }
    case "latin1":
      return { text: asBuffer(bytes).toString("latin1"), encoding };
    case "utf-16le":
      return { text: asBuffer(bytes).toString("utf16le"), encoding };
    case "utf-16be": {
      const copy = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
      return { text: copy.swap16().toString("utf16le"), encoding };
    }
  }
}

// `ignoreBOM` keeps a U+FEFF inside the text. The file's own mark is already removed.
const utf8Decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const tolerantDecoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Returns whether a text is UTF-8 with stray bytes. Other encodings hardly ever form valid UTF-8 by chance. */
export function isMostlyUtf8(decoded: string): boolean {
  let strays = 0;
  let letters = 0;
  for (const [run] of decoded.matchAll(/[^\0-\x7f]+/g)) {
    if (run.includes("\ufffd")) strays += run.match(/\ufffd/g)!.length;
    else letters += run.length;
  }
  return 4 * letters >= strays;
}

function isUtf8(head: Uint8Array, { complete }: { complete: boolean }): boolean {
  if (complete) return isWholeUtf8(head);
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Detects UTF-16 without a mark: in mostly ASCII text, all zero bytes are at even or all at odd positions. */
function guessUtf16(head: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  let even = 0;
  let odd = 0;
  for (let index = 0; index < head.length; index += 1) {
    if (head[index] !== 0) continue;
    if (index % 2 === 0) even += 1;
    else odd += 1;
  }
  if ((even > 0 && odd > 0) || even + odd <= (head.length / 2) * 0.7) return undefined;
  return even === 0 ? "utf-16le" : "utf-16be";
}
