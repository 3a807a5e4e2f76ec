import type { Environment } from "../../contract/environment.ts";
import type { ShownLine } from "../../contract/whole-operations.ts";
import { asBuffer } from "../../lib/bytes/bytes.ts";
import { byteOrderMarkLength, decodeText } from "../../lib/text/encoding.ts";
import { toSearchableText } from "../../lib/text/searchable-text.ts";
import { charsBeforeMatch, maxLineChars, showLine } from "./search-files.ts";

/** A line that ripgrep printed. */
export interface RipgrepLine {
  readonly path: string;
  /** The line number, from 1. */
  readonly line: number;
  /** The byte offset of the line in the file, without byte-order mark; `at` is that of the match in the line. */
  readonly offset: number;
  readonly at: number;
  readonly matched: boolean;
  /** The line without its newline. Of a long line, only the beginning and a remark. */
  readonly bytes: Buffer;
}

/** Parses `./path NUL line:column:offset:text`, or for context `./path NUL line-offset-text`. */
export function readLines(output: AsyncIterable<Uint8Array>): AsyncGenerator<RipgrepLine[]> {
  return readRecords(output, (path, bytes, start, end) => {
    const line = readNumber(bytes, start);
    const matched = bytes[line.end] === colon;
    const column = matched ? readNumber(bytes, line.end + 1) : undefined;
    const offset = readNumber(bytes, (column ?? line).end + 1);
    const at = (column?.value ?? 1) - 1;
    return {
      path,
      line: line.value,
      offset: offset.value,
      at,
      matched,
      bytes: bytes.subarray(offset.end + 1, end),
    };
  });
}

/** Parses `./path NUL count`. */
export function readCounts(
  output: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly path: string; readonly count: number }[]> {
  return readRecords(output, (path, bytes, start) => ({ path, count: readNumber(bytes, start).value }));
}

const newline = 0x0a;
const colon = 0x3a;
const zero = 0x30;

/** Splits the output into records. `start` is the offset after the path's NUL; `end` is the offset of the newline. */
async function* readRecords<Record>(
  output: AsyncIterable<Uint8Array>,
  read: (path: string, bytes: Buffer, start: number, end: number) => Record,
): AsyncGenerator<Record[]> {
  let left: Buffer | undefined;
  for await (const chunk of output) {
    const bytes: Buffer = left === undefined ? asBuffer(chunk) : Buffer.concat([left, chunk]);
    const records: Record[] = [];
    let start = 0;
    for (;;) {
      start = afterRemark(bytes, start);
      const nul = bytes.indexOf(0, start);
      const end = nul < 0 ? -1 : bytes.indexOf(newline, nul);
      if (end < 0) break;
      records.push(read(bytes.toString("utf8", start + "./".length, nul), bytes, nul + 1, end));
      start = end + 1;
    }
    left = start === bytes.length ? undefined : bytes.subarray(start);
    if (records.length > 0) yield records;
  }
}

function readNumber(bytes: Buffer, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  let end = start;
  for (let digit = bytes[end]! - zero; digit >= 0 && digit <= 9; digit = bytes[end]! - zero) {
    value = value * 10 + digit;
    end += 1;
  }
  return { value, end };
}

const remark =
  /^[^\n\0]*: (?:WARNING: stopped searching binary file after match|binary file matches) \(found [^\n]*\)\n/;

/** Skips ripgrep's remark on a binary file between two records. A path with a newline is not such a remark. */
function afterRemark(bytes: Buffer, start: number): number {
  const end = bytes.indexOf(newline, start);
  const nul = bytes.indexOf(0, start);
  if (end < 0 || (nul >= 0 && nul < end)) return start;
  return remark.test(bytes.toString("utf8", start, end + 1)) ? end + 1 : start;
}

/**
 * Reads the lines that ripgrep reported again through the workspace boundary, because the file may have been swapped
 * while ripgrep read it. Returns undefined when they differ from what ripgrep saw.
 */
export async function confirmLines(
  environment: Environment,
  path: string,
  lines: readonly RipgrepLine[],
): Promise<ShownLine[] | undefined> {
  // A byte-order mark, which ripgrep does not count, is rare, so the offsets are tried without it first.
  const confirmed = await confirmFrom(0, environment, path, lines);
  if (confirmed !== undefined) return confirmed;
  const markLength = byteOrderMarkLength(await environment.readBytes(path, { offset: 0, length: 3 }));
  if (markLength === 2) return confirmByNumber(environment, path, lines);
  return markLength === 0 ? undefined : confirmFrom(markLength, environment, path, lines);
}

/** Lines closer together than this are read at once. */
const maxSpanBytes = 64 * 1024;

/** A character takes at most four bytes. */
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

/** Returns the part of a line that ripgrep printed, without its remark on cut lines. */
function startOf(bytes: Buffer): Buffer {
  return bytes.length > maxLineChars ? bytes.subarray(0, maxLineChars - 4) : bytes;
}

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

/** Confirms lines of UTF-16 by their numbers, because ripgrep counts the bytes of its own translation. */
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

/** Decodes bytes that may begin in the middle of a character, which is skipped. */
function decode(bytes: Buffer): string {
  let start = 0;
  while (start < 3 && (bytes[start]! & 0xc0) === 0x80) start += 1;
  return toSearchableText(bytes.subarray(start)).text;
}
