import type { TextEncoding } from "../../contract/environment.ts";
import type { TimeSlice } from "../../lib/async/time-slice.ts";
import { attempt } from "../../system/attempt.ts";

export interface ByteSource {
  readonly size: number;
  /** Fills `target` from `position` on and returns the number of bytes read. */
  read(target: Uint8Array, position: number): number;
  /** Returns the bytes from `position` on without a copy, for a source that holds them in memory. */
  rest?(position: number): Buffer;
}

/** The unit of reading. It is even, so that no UTF-16 unit is split, and small enough for the processor's cache. */
export const chunkBytes: number = 128 * 1024;

/** The unit of counting. A line is found by searching its block. A chunk is a whole number of blocks. */
const blockBytes = 32 * 1024;

/**
 * Finds the lines of a file by the number of newlines up to the end of each block, counted on demand. The index of a
 * gigabyte takes 256 KB. Each chunk is read and counted in one turn, so several readers can share an index.
 */
export class LineIndex {
  readonly #unit: LineUnit;
  /** The number of newlines from the start of the file to the end of each whole block. */
  readonly #counts: number[] = [];
  /** The size and the number of lines, once the end was reached. They no longer apply when the file has grown. */
  #end: { readonly size: number; readonly lines: number } | undefined;
  /** The size of the file when all its blocks were counted. */
  #scannedSize: number | undefined;

  constructor(unit: LineUnit) {
    this.#unit = unit;
  }

  /** Returns the number of lines of a file of this size, if its end was reached. */
  totalLines(size: number): number | undefined {
    return this.#end?.size === size ? this.#end.lines : undefined;
  }

  /** Stores the number of lines, for a reader that has reached the end of the file. */
  noteTotal(size: number, lines: number): void {
    this.#end = { size, lines };
  }

  /** Scans until this many newlines are found or the file ends. */
  async scan(newlines: number, source: ByteSource, timeSlice: TimeSlice): Promise<void> {
    while ((this.#counts.at(-1) ?? 0) < newlines && this.#scannedSize !== source.size) {
      this.#scanChunk(source);
      if (timeSlice.isOver) await timeSlice.next();
    }
  }

  /** Scans a file of at most one chunk. */
  scanSmall(source: ByteSource): void {
    if (this.#scannedSize !== source.size) this.#scanChunk(source);
  }

  /** Returns the offset of a line, counted from 1; undefined when the file has fewer lines. */
  async startOf(line: number, source: ByteSource, timeSlice: TimeSlice): Promise<number | undefined> {
    const newlines = line - 1;
    if (newlines === 0) return source.size > 0 ? 0 : undefined;
    await this.scan(newlines, source, timeSlice);
    const block = this.#blockWith(newlines);
    const start = block * blockBytes;
    const bytes = readChunk(source, start, block < this.#counts.length ? blockBytes : chunkBytes);
    let end = 0;
    for (let count = this.#counts[block - 1] ?? 0; count < newlines; count += 1) {
      end = lineEnd(bytes, end, this.#unit);
      if (end === -1) return undefined;
    }
    return start + end < source.size ? start + end : undefined;
  }

  #scanChunk(source: ByteSource): void {
    const start = this.#counts.length * blockBytes;
    const bytes = readChunk(source, start, chunkBytes);
    let newlines = this.#counts.at(-1) ?? 0;
    for (let from = 0; from < bytes.length; from += blockBytes) {
      const to = Math.min(from + blockBytes, bytes.length);
      // `readChunk` has put the bytes into the buffer of this counter.
      newlines +=
        this.#unit === "byte"
          ? counterFor(source).count(from, to)
          : countNewlines(bytes.subarray(from, to), this.#unit);
      if (from + blockBytes <= bytes.length) this.#counts.push(newlines);
    }
    if (bytes.length === chunkBytes && start + chunkBytes < source.size) return;
    this.#scannedSize = source.size;
    filesScanned += 1;
    this.#end = { size: source.size, lines: newlines + (this.#endsOpen(bytes) ? 1 : 0) };
  }

  #endsOpen(lastBytes: Buffer): boolean {
    const width = unitBytes(this.#unit);
    if (lastBytes.length % width !== 0) return true;
    return lastBytes.length > 0 && lineEnd(lastBytes.subarray(-width), 0, this.#unit) === -1;
  }

  /** Returns the first block up to whose end there are so many newlines, or the one after all counted blocks. */
  #blockWith(newlines: number): number {
    let low = 0;
    let high = this.#counts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#counts[middle]! >= newlines) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

let quick: NewlineCounter | undefined;
let simple: NewlineCounter | undefined;
let filesScanned = 0;

/** Returns the fast counter, except for the first small files: starting it takes longer than reading one. */
function counterFor(source: ByteSource): NewlineCounter {
  if (quick === undefined && source.size <= chunkBytes && filesScanned < manyFiles) {
    simple ??= plainCounter(chunkBytes);
    return simple;
  }
  quick ??= openNewlineCounter(chunkBytes);
  return quick;
}

const manyFiles = 100;

/** Reads up to a chunk at `position`. The bytes are valid until the next read, so never keep them across an await. */
export function readChunk(source: ByteSource, position: number, length: number = chunkBytes): Buffer {
  const { buffer } = counterFor(source);
  const wanted = Math.max(0, Math.min(length, source.size - position));
  return buffer.subarray(0, source.read(buffer.subarray(0, wanted), position));
}

/** The kind of unit that ends a line if its value is 10. */
export type LineUnit = "byte" | "utf-16le" | "utf-16be";

export function lineUnit(encoding: TextEncoding | "binary"): LineUnit {
  return encoding === "utf-16le" || encoding === "utf-16be" ? encoding : "byte";
}

export function unitBytes(unit: LineUnit): number {
  return unit === "byte" ? 1 : 2;
}

/** Returns the end of the line that contains `from`, after its newline; -1 when it continues beyond `bytes`. */
export function lineEnd(bytes: Buffer, from: number, unit: LineUnit): number {
  if (unit === "byte") return bytes.indexOf(10, from) + 1 || -1;
  for (let found = bytes.indexOf(10, from); found !== -1; found = bytes.indexOf(10, found + 1)) {
    const start = unit === "utf-16le" ? found : found - 1;
    if (isNewlineUnit(bytes, start, unit)) return start + 2;
  }
  return -1;
}

/** Returns the end of the last newline that is completely before `before`; -1 when there is none. */
export function lastLineEnd(bytes: Buffer, before: number, unit: LineUnit): number {
  if (before <= 0) return -1;
  if (unit === "byte") return bytes.lastIndexOf(10, before - 1) + 1 || -1;
  for (let found = bytes.lastIndexOf(10, before - 1); found !== -1; ) {
    const start = unit === "utf-16le" ? found : found - 1;
    if (start + 2 <= before && isNewlineUnit(bytes, start, unit)) return start + 2;
    found = found === 0 ? -1 : bytes.lastIndexOf(10, found - 1);
  }
  return -1;
}

function isNewlineUnit(bytes: Buffer, start: number, unit: LineUnit): boolean {
  if (start < 0 || start % 2 !== 0) return false;
  const zero = unit === "utf-16le" ? start + 1 : start;
  return bytes[zero] === 0;
}

function countNewlines(bytes: Buffer, unit: LineUnit): number {
  let count = 0;
  for (let end = lineEnd(bytes, 0, unit); end !== -1; end = lineEnd(bytes, end, unit)) count += 1;
  return count;
}

/** A buffer and a function that counts the newlines (bytes of value 10) in a part of it. */
interface NewlineCounter {
  readonly buffer: Buffer;
  count(from: number, to: number): number;
}

/**
 * Opens a counter that compares sixteen bytes at a time, three times as fast as searching for each newline. Without
 * WebAssembly, SIMD or address space for its memory, it searches instead.
 */
export function openNewlineCounter(bytes: number): NewlineCounter {
  return attempt(() => simdCounter(bytes)) ?? plainCounter(bytes);
}

export function plainCounter(bytes: number): NewlineCounter {
  const buffer = Buffer.allocUnsafeSlow(bytes);
  const count = (from: number, to: number) => {
    const part = buffer.subarray(from, to);
    let newlines = 0;
    for (let at = part.indexOf(10); at !== -1; at = part.indexOf(10, at + 1)) newlines += 1;
    return newlines;
  };
  return { buffer, count };
}

const pageBytes = 64 * 1024;

export function simdCounter(bytes: number): NewlineCounter {
  const { Memory, Module, Instance } = webAssembly;
  const pages = Math.ceil(bytes / pageBytes);
  const memory = new Memory({ initial: pages, maximum: pages });
  const { count } = new Instance(new Module(program), { a: { a: memory } }).exports;
  const buffer = Buffer.from(memory.buffer, 0, bytes);
  const countAll = (from: number, to: number) => {
    const odd = (to - from) % 16;
    let newlines = to - odd > from ? count(from, to - odd) : 0;
    for (let at = to - odd; at < to; at += 1) if (buffer[at] === 10) newlines += 1;
    return newlines;
  };
  return { buffer, count: countAll };
}

// (module
//   (memory (import "a" "a") 1)
//   (func (export "count") (param $at i32) (param $to i32) (result i32) ;; at least one and only whole steps of 16
//     (local $newlines i32) (local $newline v128)
//     (local.set $newline (i8x16.splat (i32.const 10)))
//     (loop $step
//       (local.set $newlines (i32.add (local.get $newlines)
//         (i32.popcnt (i8x16.bitmask (i8x16.eq (v128.load (local.get $at)) (local.get $newline))))))
//       (br_if $step (i32.lt_u
//         (local.tee $at (i32.add (local.get $at) (i32.const 16)))
//         (local.get $to))))
//     (local.get $newlines)))
const program = Buffer.from(
  [
    "0061736d 01000000", // magic, version
    "01 07 01 60 02 7f 7f 01 7f", // types: (i32, i32) -> i32
    "02 08 01 01 61 01 61 02 00 01", // import memory a.a, at least one page
    "03 02 01 00", // one function of that type
    "07 09 01 05 636f756e74 00 00", // export it as "count"
    "0a 31 01 2f", // code: one body
    "02 01 7f 01 7b", // locals: $newlines: i32, $newline: v128
    "41 0a fd0f 21 03", // $newline = splat 10
    "03 40", // loop
    "20 02 20 00 fd00 0400 20 03 fd23 fd64 69 6a 21 02", // $newlines += popcnt(bitmask(load($at) == $newline))
    "20 00 41 10 6a 22 00 20 01 49 0d 00", // while (($at += 16) < $to)
    "0b 20 02 0b", // end, $newlines, end
  ]
    .join("")
    .replaceAll(" ", ""),
  "hex",
);

/** The part of WebAssembly used here. Node's types do not declare it. */
interface WebAssemblyApi {
  readonly Memory: new (size: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (program: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: Record<string, Record<string, object>>,
  ) => { readonly exports: { readonly count: (at: number, to: number) => number } };
}

const webAssembly = (globalThis as unknown as { readonly WebAssembly: WebAssemblyApi }).WebAssembly;
