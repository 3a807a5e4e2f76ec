import { asBuffer } from "../../lib/as-buffer.ts";
import { byteOrderMarkLength } from "../../lib/encoding.ts";
import { toSearchableText } from "../../lib/searchable-text.ts";
import { OutOfTime, withinTime } from "../../lib/time-bound.ts";
import { type GrepRequest, mayBacktrack } from "./grep-request.ts";
import type { GrepResults } from "./grep-results.ts";
import { scanText } from "./scan-text.ts";

/** Files up to this size are searched in one piece. */
export const maxWholeBytes: number = 8 * 1024 * 1024;

/** Whether a larger file is text, its beginning tells. */
export const headBytes: number = 64 * 1024;

/** A file that was read through the boundary and is to be searched. */
export interface FileToSearch {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Files to be searched together: a time bound for each alone would cost more than the search. */
export class Batch {
  readonly #request: GrepRequest;
  readonly #results: GrepResults;
  #files: FileToSearch[] = [];
  #bytes = 0;

  constructor(request: GrepRequest, results: GrepResults) {
    this.#request = request;
    this.#results = results;
  }

  /** Searches when enough has come together. Throws OutOfTime when the pattern takes too long. */
  add(file: FileToSearch): void {
    this.#files.push(file);
    this.#bytes += file.bytes.length;
    const { files, bytes } = mayBacktrack(this.#request) ? batchOfMany : batchOfOne;
    if (this.#files.length >= files || this.#bytes >= bytes) this.search();
  }

  /** Searches what has come together. */
  search(): void {
    const files = this.#files;
    this.#files = [];
    this.#bytes = 0;
    searchFiles(files, this.#request, this.#results);
  }
}

const batchOfMany = { files: 32, bytes: 1024 * 1024 };
const batchOfOne = { files: 1, bytes: 0 };

/** The longest that a batch may take a pattern that could lose itself. */
const batchMs = 500;

/** Searches files in the order given until nothing more is wanted. */
export function searchFiles(
  files: readonly FileToSearch[],
  request: GrepRequest,
  results: GrepResults,
): void {
  if (files.length === 0) return;
  const search = () => {
    for (const { path, bytes } of files) {
      if (results.isLimited) return;
      const text = couldMatch(bytes, request) ? toSearchableText(bytes) : undefined;
      if (text?.binary) results.addBinary(path);
      else results.add({ path, ...(text === undefined ? noHits : scanText(text, request, results.wanted)) });
    }
  };
  try {
    if (mayBacktrack(request)) withinTime(batchMs, search);
    else search();
  } catch (error) {
    // Written for other texts than ASCII an expression can be too large after all.
    throw error instanceof SyntaxError ? new OutOfTime() : error;
  }
}

const noHits = { count: 0, lines: [], hasMore: false };

/** Most files can be ruled out by their bytes. */
function couldMatch(bytes: Uint8Array, { regex }: GrepRequest): boolean {
  if (regex.requiredText === "" || byteOrderMarkLength(bytes) === 2) return true;
  return asBuffer(bytes).includes(regex.requiredText);
}
