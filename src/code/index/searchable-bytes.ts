import { isAscii } from "node:buffer";
import { asBuffer } from "../../lib/as-buffer.ts";
import { byteOrderMarkLength, decodeText } from "../../lib/encoding.ts";

/**
 * The bytes of a file that a search of the folder looks at, as ripgrep has it: UTF-8, made of UTF-16 where a mark says
 * so; nothing from the first NUL on, which shows that it is no text.
 */
export function searchableBytes(bytes: Uint8Array): { readonly bytes: Uint8Array; readonly binary: boolean } {
  const all = byteOrderMarkLength(bytes) === 2 ? fromUtf16(bytes) : bytes;
  const end = all.indexOf(0);
  return end < 0 ? { bytes: all, binary: false } : { bytes: all.subarray(0, end), binary: true };
}

/** Whether it has the Kelvin sign or the long s, which to those who ignore case are a "k" and an "s". */
export function hasOddCase(bytes: Uint8Array): boolean {
  if (isAscii(bytes)) return false;
  const buffer = asBuffer(bytes);
  return buffer.includes("\u212a") || buffer.includes("\u017f");
}

function fromUtf16(bytes: Uint8Array): Uint8Array {
  const encoding = bytes[0] === 0xff ? "utf-16le" : "utf-16be";
  return Buffer.from(decodeText(bytes.subarray(2), encoding).text);
}
