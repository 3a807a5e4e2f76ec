/** A line that ripgrep printed. */
export interface RipgrepLine {
  readonly path: string;
  readonly line: number;
  /** Byte offsets: of the line in the file (without byte-order mark), of the match in the line. */
  readonly offset: number;
  readonly at: number;
  readonly matched: boolean;
  /** The line without its newline; a long one is only its beginning and a remark. */
  readonly bytes: Buffer;
}

/** How many lines of a file match. */
export interface RipgrepCount {
  readonly path: string;
  readonly count: number;
}

/** Reads `./path NUL line:column:offset:text`, or for context `./path NUL line-offset-text`, from chunks of output. */
export async function* readLines(output: AsyncIterable<Uint8Array>): AsyncGenerator<RipgrepLine[]> {
  for await (const records of readRecords(output)) {
    yield records.flatMap(({ path, rest }) => {
      const head = /^(\d+)(?::(\d+):(\d+):|-(\d+)-)/.exec(rest.toString("latin1", 0, 64));
      if (head === null) return [];
      const [all, line, column, offset, contextOffset] = head;
      return {
        path,
        line: Number(line),
        offset: Number(offset ?? contextOffset),
        at: Number(column ?? 1) - 1,
        matched: column !== undefined,
        bytes: rest.subarray(all.length),
      };
    });
  }
}

/** Reads `./path NUL count`. */
export async function* readCounts(output: AsyncIterable<Uint8Array>): AsyncGenerator<RipgrepCount[]> {
  for await (const records of readRecords(output)) {
    yield records.map(({ path, rest }) => ({ path, count: Number(rest.toString("latin1")) }));
  }
}

interface Record {
  readonly path: string;
  readonly rest: Buffer;
}

async function* readRecords(output: AsyncIterable<Uint8Array>): AsyncGenerator<Record[]> {
  let left: Buffer = Buffer.alloc(0);
  for await (const chunk of output) {
    const bytes =
      left.length === 0
        ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
        : Buffer.concat([left, chunk]);
    const records: Record[] = [];
    let start = 0;
    for (;;) {
      start = afterRemark(bytes, start);
      const nul = bytes.indexOf(0, start);
      const end = nul < 0 ? -1 : bytes.indexOf(0x0a, nul);
      if (end < 0) break;
      records.push({
        path: bytes.toString("utf8", start + "./".length, nul),
        rest: bytes.subarray(nul + 1, end),
      });
      start = end + 1;
    }
    yield records;
    left = Buffer.from(bytes.subarray(start));
  }
}

const remark =
  /^[^\n\0]*: (?:WARNING: stopped searching binary file after match|binary file matches) \(found [^\n]*\)\n/;

/** Between its records ripgrep says when it met a binary file; a name with a newline in it may look alike at first. */
function afterRemark(bytes: Buffer, start: number): number {
  const newline = bytes.indexOf(0x0a, start);
  if (newline < 0 || bytes.subarray(start, newline).includes(0)) return start;
  return remark.test(bytes.toString("utf8", start, newline + 1)) ? newline + 1 : start;
}
