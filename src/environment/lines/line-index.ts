import type { Breath } from "../breath.ts";
import { type NewlineCounter, openNewlineCounter } from "./newline-counter.ts";
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
 * A gigabyte takes 64 KB. Every step reads and counts one chunk in one turn, so several readers can share an index.
 */
export class LineIndex {
  readonly #unit: LineUnit;
  /** Newlines from the start of the file to the end of each whole chunk. */
  readonly #counts: number[] = [];
  /** The end of the file when it was reached: counted again when the file has grown. */
  #end: { readonly size: number; readonly lines: number } | undefined;

  constructor(unit: LineUnit) {
    this.#unit = unit;
  }

  /** Lines in a file of this size, if it was scanned to the end. */
  totalLines(size: number): number | undefined {
    return this.#end?.size === size ? this.#end.lines : undefined;
  }

  /** Scans until `newlines` were met or the file ends. */
  async scan(newlines: number, source: ByteSource, breath: Breath): Promise<void> {
    while ((this.#counts.at(-1) ?? 0) < newlines && this.totalLines(source.size) === undefined) {
      this.#scanChunk(source);
      if (breath.isDue) await breath.take();
    }
  }

  /** Where a line starts, counted from 1, or undefined when the file has fewer. Line 1 starts at 0. */
  async startOf(line: number, source: ByteSource, breath: Breath): Promise<number | undefined> {
    const newlines = line - 1;
    if (newlines === 0) return source.size > 0 ? 0 : undefined;
    await this.scan(newlines, source, breath);
    const chunk = this.#chunkWith(newlines);
    const start = chunk * chunkBytes;
    const bytes = readChunk(source, start);
    let end = 0;
    for (let count = this.#counts[chunk - 1] ?? 0; count < newlines; count += 1) {
      end = lineEnd(bytes, end, this.#unit);
      if (end === -1) return undefined;
    }
    return start + end < source.size ? start + end : undefined;
  }

  #scanChunk(source: ByteSource): void {
    const start = this.#counts.length * chunkBytes;
    const bytes = readChunk(source, start);
    const newlines =
      this.#unit === "byte" ? scratchCounter().count(bytes.length) : countNewlines(bytes, this.#unit);
    const newlinesSoFar = (this.#counts.at(-1) ?? 0) + newlines;
    const isWhole = bytes.length === chunkBytes;
    if (isWhole) this.#counts.push(newlinesSoFar);
    if (isWhole && start + chunkBytes < source.size) return;
    this.#end = { size: source.size, lines: newlinesSoFar + (this.#endsOpen(bytes) ? 1 : 0) };
  }

  /** Whether the last line has no newline. */
  #endsOpen(lastBytes: Buffer): boolean {
    const width = unitBytes(this.#unit);
    if (lastBytes.length % width !== 0) return true;
    return lastBytes.length > 0 && lineEnd(lastBytes.subarray(-width), 0, this.#unit) === -1;
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

let scratch: NewlineCounter | undefined;

function scratchCounter(): NewlineCounter {
  scratch ??= openNewlineCounter(chunkBytes);
  return scratch;
}

/** The chunk at `position`, good until the next one is read: never keep it over an await. */
export function readChunk(source: ByteSource, position: number): Buffer {
  const { buffer } = scratchCounter();
  const wanted = Math.max(0, Math.min(chunkBytes, source.size - position));
  return buffer.subarray(0, source.read(buffer.subarray(0, wanted), position));
}
