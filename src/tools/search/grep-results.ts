import type { FileHits } from "../../contract/whole-operations.ts";
import type { GrepRequest } from "./grep-request.ts";

/** Collects the results of a search, up to its limit. */
export class GrepResults {
  readonly #hits: FileHits[] = [];
  readonly #searched = new Set<string>();
  readonly #countsFiles: boolean;
  readonly #maxPerFile: number;
  readonly #without: ReadonlySet<string>;
  #left: number;
  #isLimited = false;
  readonly skipped = {
    unreadable: new Set<string>(),
    /**
     * Files that the policy denies. Only a search that has not read a file may add it, so that the report does not
     * reveal whether it matches.
     */
    guarded: new Set<string>(),
    /** Files with a line that was too long to search completely. */
    partly: new Set<string>(),
    /** Files that were too large to search across lines. */
    tooLarge: new Set<string>(),
  };
  engine: "built-in" | "ripgrep" = "built-in";
  binaryFiles = 0;
  /** The searched file, if it is a single binary file. */
  binary: { readonly path: string; readonly matches: boolean | undefined } | undefined;

  /** `without`: files whose results are left out. */
  constructor(
    request: Pick<GrepRequest, "mode" | "limit"> & Partial<Pick<GrepRequest, "maxPerFile">>,
    without: readonly string[] = [],
  ) {
    this.#without = new Set(without);
    this.#countsFiles = request.mode !== "content";
    this.#left = request.limit;
    this.#maxPerFile = request.maxPerFile ?? Number.POSITIVE_INFINITY;
  }

  /** Returns how many more matching lines, or files, fit the limit. */
  get left(): number {
    return this.#left;
  }

  /** Returns how many matching lines of one more file are needed. */
  get wanted(): number {
    if (!this.#countsFiles) return Math.min(this.#left, this.#maxPerFile);
    return this.#left === 0 ? 0 : Number.POSITIVE_INFINITY;
  }

  /** Returns whether more than the limit was found, so that the search is over. */
  get isLimited(): boolean {
    return this.#isLimited;
  }

  get searchedFiles(): number {
    return this.#searched.size;
  }

  /** Returns whether some files have more matching lines than were requested. */
  get hasCutFiles(): boolean {
    return this.#hits.some(({ hasMore }) => hasMore);
  }

  /** Returns the hits, ordered by path. */
  get hits(): readonly FileHits[] {
    return this.#hits.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  }

  wasSearched(path: string): boolean {
    return this.#searched.has(path);
  }

  /** Adds the hits of a file that was searched completely, or as far as requested. */
  add(hits: FileHits): void {
    if (this.#without.has(hits.path)) return;
    this.#searched.add(hits.path);
    const isCut = hits.hasMore && hits.count < this.#maxPerFile;
    this.#isLimited ||= isCut || (hits.count > 0 && this.#left === 0);
    if (hits.count === 0 || this.#left === 0) return;
    this.#left -= this.#countsFiles ? 1 : hits.count;
    this.#hits.push(hits);
  }

  addBinary(path: string): void {
    this.#searched.add(path);
    this.binaryFiles += 1;
  }
}
