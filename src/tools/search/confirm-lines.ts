import type { Environment } from "../../contract/environment.ts";
import { byteOrderMarkLength, decodeText } from "../../text/encoding.ts";
import { toSearchableText } from "../../text/searchable-text.ts";
import type { ShownLine } from "./hits.ts";
import type { RipgrepLine } from "./ripgrep-output.ts";
import { charsBeforeMatch, maxLineChars, showLine } from "./show-line.ts";

/**
 * Reads lines that ripgrep has reported of one file again through the boundary: ripgrep opens files by path, and
 * somebody may have put another file there for that moment. Undefined when they are not what ripgrep saw.
 */
export async function confirmLines(
  environment: Environment,
  path: string,
  lines: readonly RipgrepLine[],
): Promise<ShownLine[] | undefined> {
  const markLength = byteOrderMarkLength(await environment.readBytes(path, { offset: 0, length: 3 }));
  const shown: ShownLine[] = [];
  for (const line of lines) {
    const text =
      markLength === 2
        ? await confirmByNumber(environment, path, line)
        : await confirmByOffset(environment, path, line, markLength);
    if (text === undefined) return undefined;
    shown.push({ line: line.line, text, matched: line.matched });
  }
  return shown;
}

/** A character takes four bytes at most. */
const bytesBefore = charsBeforeMatch * 4;
const bytesAfter = maxLineChars * 4;

async function confirmByOffset(
  environment: Environment,
  path: string,
  { offset, at, bytes }: RipgrepLine,
  markLength: number,
): Promise<string | undefined> {
  const start = offset + markLength;
  const isCut = bytes.length > maxLineChars;
  const expected = isCut ? bytes.subarray(0, maxLineChars - 4) : bytes;
  const head = await environment.readBytes(path, { offset: start, length: expected.length });
  if (!expected.equals(head)) return undefined;
  if (!isCut) return showLine(decode(head), decode(head.subarray(0, at)).length);

  const from = Math.max(0, at - bytesBefore);
  const window = await environment.readBytes(path, { offset: start + from, length: at - from + bytesAfter });
  const newline = window.indexOf(0x0a, at - from);
  const part = newline < 0 ? window : window.subarray(0, newline);
  const text = decode(part);
  const isOpen = { before: from > 0, after: newline < 0 && window.length === at - from + bytesAfter };
  return showLine(text, decode(part.subarray(0, at - from)).length, isOpen);
}

/** In UTF-16 ripgrep counts bytes of its own translation. */
async function confirmByNumber(
  environment: Environment,
  path: string,
  { line, at, bytes }: RipgrepLine,
): Promise<string | undefined> {
  const slice = await environment.readLines(path, { first: line, count: 1, maxBytes: bytesAfter + at * 2 });
  if (slice.encoding !== "utf-16le" && slice.encoding !== "utf-16be") return undefined;
  const text = decodeText(slice.bytes, slice.encoding).text.replace(/\n$/, "");
  const translated = Buffer.from(text);
  const expected = bytes.length > maxLineChars ? bytes.subarray(0, maxLineChars - 4) : bytes;
  if (!expected.equals(translated.subarray(0, expected.length))) return undefined;
  return showLine(text, translated.toString("utf8", 0, at).length, {
    before: false,
    after: slice.cutBytes > 0,
  });
}

/** What begins in the middle of a character is shown from the next one on. */
function decode(bytes: Uint8Array): string {
  let start = 0;
  while (start < 3 && (bytes[start]! & 0xc0) === 0x80) start += 1;
  return toSearchableText(bytes.subarray(start)).text;
}
