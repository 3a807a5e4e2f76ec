import type { Environment } from "../../contract/environment.ts";
import { asBuffer } from "../../lib/as-buffer.ts";
import { byteOrderMarkLength, decodeText } from "../../lib/encoding.ts";
import { toSearchableText } from "../../lib/searchable-text.ts";
import type { ShownLine } from "./hits.ts";
import type { RipgrepLine } from "./ripgrep-output.ts";
import { charsBeforeMatch, maxLineChars, showLine } from "./show-line.ts";

/**
 * Reads the lines that ripgrep has reported of one file again through the boundary: ripgrep opens files by path, and
 * somebody may have put another file there for that moment. Undefined when they are not what ripgrep saw.
 */
export async function confirmLines(
  environment: Environment,
  path: string,
  lines: readonly RipgrepLine[],
): Promise<ShownLine[] | undefined> {
  // Hardly any file begins with a byte-order mark, which ripgrep does not count.
  const confirmed = await confirmFrom(0, environment, path, lines);
  if (confirmed !== undefined) return confirmed;
  const markLength = byteOrderMarkLength(await environment.readBytes(path, { offset: 0, length: 3 }));
  if (markLength === 2) return confirmByNumber(environment, path, lines);
  return markLength === 0 ? undefined : confirmFrom(markLength, environment, path, lines);
}

/** Lines that lie closer together than this are read at once. */
const maxSpanBytes = 64 * 1024;

/** A character takes four bytes at most. */
const bytesBefore = charsBeforeMatch * 4;
const bytesAfter = maxLineChars * 4;

async function confirmFrom(
  start: number,
  environment: Environment,
  path: string,
  lines: readonly RipgrepLine[],
): Promise<ShownLine[] | undefined> {
  const read = async (offset: number, length: number): Promise<Buffer> =>
    asBuffer(await environment.readBytes(path, { offset: start + offset, length }));
  const first = lines[0]!.offset;
  const last = lines.at(-1)!;
  const length = last.offset + last.bytes.length - first;
  const span = length > maxSpanBytes ? undefined : await read(first, length);
  const shown: ShownLine[] = [];
  for (const line of lines) {
    const expected = startOf(line.bytes);
    const at = line.offset - first;
    const found = span?.subarray(at, at + expected.length) ?? (await read(line.offset, expected.length));
    if (!expected.equals(found)) return undefined;
    const text = expected === line.bytes ? showLine(decode(found), 0) : await readLongLine(read, line);
    shown.push({ line: line.line, text, matched: line.matched });
  }
  return shown;
}

/** What ripgrep has given of a line, without its remark that a long line was cut. */
function startOf(bytes: Buffer): Buffer {
  return bytes.length > maxLineChars ? bytes.subarray(0, maxLineChars - 4) : bytes;
}

/** The part of a long line around the match. */
async function readLongLine(
  read: (offset: number, length: number) => Promise<Buffer>,
  { offset, at }: RipgrepLine,
): Promise<string> {
  const from = Math.max(0, at - bytesBefore);
  const length = at - from + bytesAfter;
  const window = await read(offset + from, length);
  const newline = window.indexOf(0x0a, at - from);
  const part = newline < 0 ? window : window.subarray(0, newline);
  const isOpen = { before: from > 0, after: newline < 0 && window.length === length };
  return showLine(decode(part), decode(part.subarray(0, at - from)).length, isOpen);
}

/** In UTF-16 ripgrep counts the bytes of its own translation. */
async function confirmByNumber(
  environment: Environment,
  path: string,
  lines: readonly RipgrepLine[],
): Promise<ShownLine[] | undefined> {
  const shown: ShownLine[] = [];
  for (const { line, at, bytes, matched } of lines) {
    const slice = await environment.readLines(path, { first: line, count: 1, maxBytes: bytesAfter + at * 2 });
    if (slice.encoding !== "utf-16le" && slice.encoding !== "utf-16be") return undefined;
    const text = decodeText(slice.bytes, slice.encoding).text.replace(/\n$/, "");
    const translated = Buffer.from(text);
    const expected = startOf(bytes);
    if (!expected.equals(translated.subarray(0, expected.length))) return undefined;
    const isOpen = { before: false, after: slice.cutBytes > 0 };
    shown.push({ line, text: showLine(text, translated.toString("utf8", 0, at).length, isOpen), matched });
  }
  return shown;
}

/** What begins in the middle of a character is shown from the next one on. */
function decode(bytes: Buffer): string {
  let start = 0;
  while (start < 3 && (bytes[start]! & 0xc0) === 0x80) start += 1;
  return toSearchableText(bytes.subarray(start)).text;
}
