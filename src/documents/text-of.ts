import { byteOrderMarkLength, decodeText, detectEncoding, detectionBytes } from "../lib/encoding.ts";

/** Bytes as text, in whichever encoding of file.read they are; undefined for what is none. */
export function textOf(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, detectionBytes);
  const encoding = detectEncoding(head, { complete: head.length === bytes.length });
  if (encoding === "binary") return undefined;
  return decodeText(bytes.subarray(byteOrderMarkLength(head)), encoding).text;
}
