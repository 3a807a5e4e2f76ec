import type { FileInfo, LineRange, LineSlice, TextEncoding } from "../../contract/environment.ts";
import type { TimeSlice } from "../../lib/async/time-slice.ts";
import { byteOrderMarkLength, detectEncoding, detectionBytes } from "../../lib/text/encoding.ts";
import {
  type ByteSource,
  chunkBytes,
  LineIndex,
  type LineUnit,
  lastLineEnd,
  lineEnd,
  lineUnit,
  readChunk,
  unitBytes,
} from "./line-index.ts";

/** Properties of a file's text, known before any line is read. */
export interface TextLayout {
  readonly encoding: TextEncoding | "binary";
  readonly markBytes: number;
  readonly index: LineIndex;
}

export function layOut(source: ByteSource): TextLayout {
  const head = readChunk(source, 0, detectionBytes);
  const encoding = detectEncoding(head, { complete: head.length === source.size });
  return { encoding, markBytes: byteOrderMarkLength(head), index: new LineIndex(lineUnit(encoding)) };
}

/** Reads lines of a file of any size. Only the returned lines are in memory. */
export async function sliceLines(
  source: ByteSource,
  layout: TextLayout,
  range: LineRange,
  context: { readonly timeSlice: TimeSlice; readonly info: FileInfo },
): Promise<LineSlice> {
  const { index, encoding } = layout;
  const { timeSlice, info } = context;
  // A small file is one chunk, so scanning it costs no more than reading it.
  if (source.size <= chunkBytes) index.scanSmall(source);
  const start = await findStart(source, layout, range.first, timeSlice);
  const { bytes, lines, end, cutBytes } =
    start === undefined
      ? { bytes: new Uint8Array(0), lines: 0, end: source.size, cutBytes: 0 }
      : await takeLines(source, layout, start, range, timeSlice);
  const reachedEnd = end >= source.size;
  const firstLine = start?.line;
  if (isEmpty(source, layout)) index.noteTotal(source.size, 0);
  else if (reachedEnd && firstLine !== undefined) index.noteTotal(source.size, firstLine - 1 + lines);
  const totalLines = index.totalLines(source.size);
  return { bytes, encoding, lines, firstLine, totalLines, reachedEnd, cutBytes, info };
}

interface LineStart {
  readonly offset: number;
  /** The number of the line; undefined when it was found from the end. */
  readonly line: number | undefined;
}

async function findStart(
  source: ByteSource,
  layout: TextLayout,
  first: number,
  timeSlice: TimeSlice,
): Promise<LineStart | undefined> {
  if (isEmpty(source, layout)) return undefined;
  const total = layout.index.totalLines(source.size);
  if (first < 0 && total === undefined) return findFromEnd(source, layout, -first, timeSlice);
  const line = first < 0 ? Math.max(1, total! + first + 1) : first;
  const offset = line === 1 ? 0 : await layout.index.startOf(line, source, timeSlice);
  return offset === undefined ? undefined : { offset: Math.max(offset, layout.markBytes), line };
}

/**
 * Finds the start of the last lines by going back over newlines. A newline at the very end only closes the last line.
 */
async function findFromEnd(
  source: ByteSource,
  layout: TextLayout,
  lines: number,
  timeSlice: TimeSlice,
): Promise<LineStart> {
  const unit = lineUnit(layout.encoding);
  let left = lines;
  for (let chunk = Math.floor((source.size - 1) / chunkBytes); chunk >= 0; chunk -= 1) {
    const chunkStart = chunk * chunkBytes;
    const bytes = readChunk(source, chunkStart);
    let end = lastLineEnd(bytes, bytes.length, unit);
    while (end !== -1) {
      if (chunkStart + end < source.size) left -= 1;
      if (left === 0) return { offset: chunkStart + end, line: undefined };
      end = lastLineEnd(bytes, end - unitBytes(unit), unit);
    }
    if (timeSlice.isOver) await timeSlice.next();
  }
  return { offset: layout.markBytes, line: 1 };
}

function isEmpty(source: ByteSource, layout: TextLayout): boolean {
  return source.size <= layout.markBytes;
}

interface Taken {
  readonly bytes: Uint8Array;
  readonly lines: number;
  readonly end: number;
  readonly cutBytes: number;
}

const firstReadBytes = 16 * 1024;

async function takeLines(
  source: ByteSource,
  layout: TextLayout,
  start: LineStart,
  { count, maxBytes }: LineRange,
  timeSlice: TimeSlice,
): Promise<Taken> {
  const { offset } = start;
  const unit = lineUnit(layout.encoding);
  const available = source.size - offset;
  const most = Math.min(available, maxBytes);
  const linesLeft = linesFrom(start, layout, source);
  if (linesLeft !== undefined && linesLeft <= count && available === most) {
    // The lines of the rest of the file are already counted, so it is read at once.
    const rest = source.rest?.(offset) ?? readOn(source, offset, nothing, available);
    if (rest.length === available) return { bytes: rest, lines: linesLeft, end: source.size, cutBytes: 0 };
  }
  let bytes = nothing;
  let lines = 0;
  let taken = 0;
  const upTo = (length: number): Taken => {
    return { bytes: bytes.subarray(0, length), lines, end: offset + length, cutBytes: 0 };
  };
  for (let capacity = Math.min(most, firstReadBytes); ; capacity = Math.min(most, capacity * 4)) {
    const scanned = bytes.length;
    bytes = readOn(source, offset, bytes, capacity);
    let end = lineEnd(bytes, Math.max(taken, scanned - (scanned % 2)), unit);
    while (end !== -1) {
      lines += 1;
      taken = end;
      if (lines === count) return upTo(taken);
      end = lineEnd(bytes, taken, unit);
    }
    if (bytes.length === most || bytes.length < capacity) break;
    if (timeSlice.isOver) await timeSlice.next();
  }
  if (bytes.length === available) {
    // The last line may have no newline.
    if (taken < bytes.length) lines += 1;
    return upTo(bytes.length);
  }
  if (lines > 0) return upTo(taken);
  const kept = bytes.subarray(0, wholeCharacters(bytes, unit));
  return cutLine(source, layout, start, kept, timeSlice);
}

const nothing: Buffer = Buffer.alloc(0);

/** Returns the number of lines from this one to the end; undefined when unknown. */
function linesFrom({ line }: LineStart, { index }: TextLayout, { size }: ByteSource): number | undefined {
  const total = index.totalLines(size);
  return line === undefined || total === undefined ? undefined : total - line + 1;
}

function readOn(source: ByteSource, offset: number, before: Buffer, capacity: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(capacity);
  before.copy(bytes);
  const read = source.read(bytes.subarray(before.length), offset + before.length);
  return bytes.subarray(0, before.length + read);
}

/** Returns the beginning of a line that is too long, and the number of bytes omitted before its newline. */
async function cutLine(
  source: ByteSource,
  layout: TextLayout,
  start: LineStart,
  kept: Buffer,
  timeSlice: TimeSlice,
): Promise<Taken> {
  const next =
    start.line === undefined
      ? await findNextLine(source, start.offset + kept.length, lineUnit(layout.encoding), timeSlice)
      : await layout.index.startOf(start.line + 1, source, timeSlice);
  const end = next ?? source.size;
  const contentEnd = end - newlineBytesBefore(source, end, lineUnit(layout.encoding));
  return { bytes: kept, lines: 1, end, cutBytes: contentEnd - start.offset - kept.length };
}

async function findNextLine(
  source: ByteSource,
  from: number,
  unit: LineUnit,
  timeSlice: TimeSlice,
): Promise<number | undefined> {
  for (let position = from - (from % 2); position < source.size; ) {
    const chunk = readChunk(source, position);
    const end = lineEnd(chunk, 0, unit);
    if (end !== -1) return position + end;
    if (chunk.length === 0) return undefined;
    position += chunk.length;
    if (timeSlice.isOver) await timeSlice.next();
  }
  return undefined;
}

function newlineBytesBefore(source: ByteSource, end: number, unit: LineUnit): number {
  const width = unitBytes(unit);
  if (end % width !== 0) return 0;
  return lineEnd(readChunk(source, end - width, width), 0, unit) === -1 ? 0 : width;
}

/** Returns the number of bytes of a cut line that form whole characters. */
function wholeCharacters(bytes: Buffer, unit: LineUnit): number {
  if (unit !== "byte") {
    const even = bytes.length - (bytes.length % 2);
    const high = bytes[unit === "utf-16le" ? even - 1 : even - 2] ?? 0;
    return high >= 0xd8 && high <= 0xdb ? even - 2 : even;
  }
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && start > 0 && (bytes[start]! & 0xc0) === 0x80) start -= 1;
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start > 0 && start + length > bytes.length ? start : bytes.length;
}
