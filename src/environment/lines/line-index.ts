import type { Breath } from "../../lib/breath.ts";
import { type NewlineCounter, openNewlineCounter, plainCounter } from "./newline-counter.ts";
import { countNewlines, type LineUnit, lineEnd, unitBytes } from "./newlines.ts";

/** Bytes that can be read from any position. */
export interface ByteSource {
  readonly size: number;
  /** Fills `target` from `position` on as far as there is something; gives how much. */
  read(target: Uint8Array, position: number): number;
}

/** Read at once. Even, so that no UTF-16 unit lies across; small enough to stay in the processor's cache. */
export const chunkBytes: number = 128 * 1024;

/** Counted at once: what has to be searched to find a line in it. A whole number of them makes a chunk. */
const blockBytes = 32 * 1024;

/**
 * Where the lines of a file are: the newlines counted up to the end of each block, as far as anybody has asked.
 * A gigabyte takes 256 KB. Every step reads and counts one chunk in one turn, so several readers can share an index.
 */
export class LineIndex {
  readonly #unit: LineUnit;
  /** Newlines from the start of the file to the end of each whole block. */
  readonly #counts: number[] = [];
  /** The end of the file when it was reached: counted again when the file has grown. */
  #end: { readonly size: number; readonly lines: number } | undefined;
  /** The size of the file when every block of it was counted. */
  #scannedSize: number | undefined;

  constructor(unit: LineUnit) {
    this.#unit = unit;
  }

  /** Lines in a file of this size, if its end was reached. */
  totalLines(size: number): number | undefined {
    return this.#end?.size === size ? this.#end.lines : undefined;
  }

  /** Somebody has read to the end and counted. */
  noteTotal(size: number, lines: number): void {
    this.#end = { size, lines };
  }

  /** Scans until `newlines` were met or the file ends. */
  async scan(newlines: number, source: ByteSource, breath: Breath): Promise<void> {
    while ((this.#counts.at(-1) ?? 0) < newlines && this.#scannedSize !== source.size) {
      this.#scanChunk(source);
      if (breath.isDue) await breath.take();
    }
  }

  /** Where a line starts, counted from 1, or undefined when the file has fewer. Line 1 starts at 0. */
  async startOf(line: number, source: ByteSource, breath: Breath): Promise<number | undefined> {
    const newlines = line - 1;
    if (newlines === 0) return source.size > 0 ? 0 : undefined;
    await this.scan(newlines, source, breath);
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
      // What was read lies in the counter's own buffer.
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

  /** Whether the last line has no newline. */
  #endsOpen(lastBytes: Buffer): boolean {
    const width = unitBytes(this.#unit);
    if (lastBytes.length % width !== 0) return true;
    return lastBytes.length > 0 && lineEnd(lastBytes.subarray(-width), 0, this.#unit) === -1;
  }

  /** The first block by whose end there were this many newlines; the one after all counted ones if none. */
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

/** A small file is read before the quick counter would have started; for many of them that is worth it. */
function counterFor(source: ByteSource): NewlineCounter {
  if (quick === undefined && source.size <= chunkBytes && filesScanned < manyFiles) {
    simple ??= plainCounter(chunkBytes);
    return simple;
  }
  quick ??= openNewlineCounter(chunkBytes);
  return quick;
}

const manyFiles = 100;

/** Up to a chunk at `position`, good until the next one is read: never keep it over an await. */
export function readChunk(source: ByteSource, position: number, length: number = chunkBytes): Buffer {
  const { buffer } = counterFor(source);
  const wanted = Math.max(0, Math.min(length, source.size - position));
  return buffer.subarray(0, source.read(buffer.subarray(0, wanted), position));
}
