import type { Breath } from "../breath.ts";
import { countNewlines, type LineUnit, lineEnd, unitBytes } from "./newlines.ts";

/** Bytes that can be read from any position. */
export interface ByteSource {
  readonly size: number;
  /** Fills `target` from `position` on as far as there is something; gives how much. */
  read(target: Uint8Array, position: number): number;
}

/** Even, so that no UTF-16 unit lies across; small enough to stay in the processor's cache. */
export const chunkBytes: number = 128 * 1024;

/**
 * Where the lines of a file are: the newlines counted up to the end of each chunk, as far as anybody has asked.
 * A gigabyte takes 64 KB. Every step reads and counts one chunk in one go, so several readers can share an index.
 */
export class LineIndex {
  readonly unit: LineUnit;
  /** Newlines from the start of the file to the end of each whole chunk. */
  readonly #counts: number[] = [];
  /** The chunk at the end, when it is not whole: it is counted again when the file has grown. */
  #rest: { readonly size: number; readonly newlines: number; readonly endsOpen: boolean } | undefined;

  constructor(unit: LineUnit) {
    this.unit = unit;
  }

  get scannedBytes(): number {
    return this.#counts.length * chunkBytes;
  }

  /** Lines in a file of this size, if it was scanned to the end. */
  totalLines(size: number): number | undefined {
    if (this.#rest?.size !== size) return undefined;
    return this.#rest.newlines + (this.#rest.endsOpen ? 1 : 0);
  }

  /** Where a line starts, counted from 1, or undefined when the file has fewer. Line 1 starts at 0. */
  async startOf(line: number, source: ByteSource, breath: Breath): Promise<number | undefined> {
    const newlines = line - 1;
    if (newlines === 0) return source.size > 0 ? 0 : undefined;
    while ((this.#counts.at(-1) ?? 0) < newlines && this.totalLines(source.size) === undefined) {
      this.#scanChunk(source);
      if (breath.isDue) await breath.take();
    }
    const chunk = this.#chunkWith(newlines);
    const start = chunk * chunkBytes;
    const bytes = readChunk(source, start);
    let end = 0;
    for (let count = chunk === 0 ? 0 : this.#counts[chunk - 1]!; count < newlines; count += 1) {
      end = lineEnd(bytes, end, this.unit);
      if (end === -1) return undefined;
    }
    return start + end < source.size ? start + end : undefined;
  }

  #scanChunk(source: ByteSource): void {
    const start = this.scannedBytes;
    const bytes = readChunk(source, start);
    const newlines = (this.#counts.at(-1) ?? 0) + countNewlines(bytes, this.unit);
    if (bytes.length === chunkBytes) this.#counts.push(newlines);
    if (start + bytes.length < source.size && bytes.length === chunkBytes) return;
    const width = unitBytes(this.unit);
    const lastUnit = bytes.subarray(bytes.length - width);
    const endsOpen = source.size > 0 && lineEnd(lastUnit, 0, this.unit) === -1;
    this.#rest = { size: source.size, newlines, endsOpen };
  }

  /** The first chunk by whose end there were this many newlines; the one after all counted ones if none. */
  #chunkWith(newlines: number): number {
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

let scratch: Buffer | undefined;

/** The chunk at `position`, good until the next one is read: never keep it over an await. */
export function readChunk(source: ByteSource, position: number): Buffer {
  scratch ??= Buffer.allocUnsafeSlow(chunkBytes);
  const wanted = Math.max(0, Math.min(chunkBytes, source.size - position));
  return scratch.subarray(0, source.read(scratch.subarray(0, wanted), position));
}
