import { asBuffer } from "../../lib/as-buffer.ts";
/** A line that ripgrep printed. */
export interface RipgrepLine {
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  /** Byte offsets: of the line in the file (without byte-order mark), of the match in the line. */
  readonly offset: number;
  readonly at: number;
  readonly matched: boolean;
  /** The line without its newline; of a long one its beginning and a remark. */
  readonly bytes: Buffer;
}

/** How many lines of a file match. */
export interface RipgrepCount {
  readonly path: string;
  readonly count: number;
}

/** Reads `./path NUL line:column:offset:text`, or for context `./path NUL line-offset-text`, from chunks of output. */
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

/** Reads `./path NUL count`. */
export function readCounts(output: AsyncIterable<Uint8Array>): AsyncGenerator<RipgrepCount[]> {
  return readRecords(output, (path, bytes, start) => ({ path, count: readNumber(bytes, start).value }));
}

const newline = 0x0a;
const colon = 0x3a;
const zero = 0x30;

/** `read` is given where in the bytes the rest of a record begins and where its newline is. */
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

/** Between its records ripgrep says when it met a binary file. A path with a newline in it is none of that. */
function afterRemark(bytes: Buffer, start: number): number {
  const end = bytes.indexOf(newline, start);
  const nul = bytes.indexOf(0, start);
  if (end < 0 || (nul >= 0 && nul < end)) return start;
  return remark.test(bytes.toString("utf8", start, end + 1)) ? end + 1 : start;
}
