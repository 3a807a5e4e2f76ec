import { detectEncoding, detectionBytes, detectUtf16 } from "../../lib/encoding.ts";

/**
 * The lines of a file, line ends included, each as a string with a character for every byte: together they are the
 * file again, whatever it is stored in. Undefined when it is no text.
 */
export function byteLines(content: Uint8Array): readonly string[] | undefined {
  const head = content.subarray(0, detectionBytes);
  if (detectEncoding(head, { complete: head.length === content.length }) === "binary") return undefined;
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("latin1");
  const utf16 = detectUtf16(head);
  if (utf16) return splitAfter(bytes, utf16 === "utf-16le" ? "\n\0" : "\0\n", 2);
  // As elsewhere: a lone carriage return ends a line where no line feed does.
  return splitAfter(bytes, bytes.includes("\n") ? "\n" : "\r", 1);
}

/** The way back. */
export function fromByteLines(lines: readonly string[]): Uint8Array {
  return Buffer.from(lines.join(""), "latin1");
}

/** `step`: how many bytes a character has at least; a line end lies at a multiple of it. */
function splitAfter(bytes: string, lineEnd: string, step: 1 | 2): readonly string[] {
  const lines: string[] = [];
  let start = 0;
  for (let at = bytes.indexOf(lineEnd); at !== -1; at = bytes.indexOf(lineEnd, at + 1)) {
    if (at % step !== 0) continue;
    lines.push(bytes.slice(start, at + lineEnd.length));
    start = at + lineEnd.length;
  }
  if (start < bytes.length) lines.push(bytes.slice(start));
  return lines;
}
