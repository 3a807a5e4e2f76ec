import { ToolError } from "../../contract/error.ts";
import { RefusedPath } from "../../contract/guard.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { type WalkedFile, walkFiles } from "../../files/walk.ts";
import { toSearchableText } from "../../lib/searchable-text.ts";
import type { GrepRequest } from "./grep-request.ts";
import type { GrepResults } from "./grep-results.ts";
import { Batch, headBytes, maxWholeBytes } from "./search-files.ts";
import { searchLargeFile } from "./search-large-file.ts";

/** A search in process that can be continued. */
export interface InProcessSearch {
  /**
   * Searches on for as much as the budget allows; whether it came to an end, or found as much as is wanted. Throws
   * OutOfTime when the pattern takes too long.
   */
  run(budget: Budget): Promise<boolean>;
  /** Frees what is held; the search is over. */
  close(): Promise<void>;
}

export interface Budget {
  readonly files: number;
  readonly bytes: number;
}

/** Searches a directory file by file, in the order of their paths. */
export class DirectorySearch implements InProcessSearch {
  readonly #request: GrepRequest;
  readonly #results: GrepResults;
  readonly #context: ToolContext;
  readonly #files: AsyncGenerator<WalkedFile>;
  readonly #batch: Batch;
  /** Where in a path the part begins that filters are about. */
  readonly #cut: number;
  /** Met, and too much for the budget. */
  #next: WalkedFile | undefined;

  constructor(directory: string, request: GrepRequest, results: GrepResults, context: ToolContext) {
    const { filter, hidden, ignoreFiles } = request;
    this.#request = request;
    this.#results = results;
    this.#context = context;
    this.#batch = new Batch(request, results);
    this.#cut = directory === "" ? 0 : directory.length + 1;
    this.#files = walkFiles(context.environment, directory, {
      hidden,
      ignoreFiles,
      signal: context.signal,
      enters: (path) => filter.enters(path.slice(this.#cut)),
      failed: (path) => results.addUnreadable(path),
    });
  }

  async run(budget: Budget): Promise<boolean> {
    if (budget.files === 0 || this.#request.regex.untranslatable !== undefined) return false;
    const spent = { files: 0, bytes: 0, largeFiles: 0 };
    for (let met = 1; !this.#results.isLimited; met += 1) {
      const file = this.#next ?? (await this.#files.next()).value;
      this.#next = undefined;
      if (file === undefined) break;
      if (!this.#request.filter.takes(file.path.slice(this.#cut))) {
        spent.files += passingCost;
        continue;
      }
      const toCome = spent.files > fewFiles ? file.filesAhead * (spent.files / met) : 0;
      const isTooMuch = spent.files + toCome >= budget.files || spent.bytes >= budget.bytes;
      if (isTooMuch || (spent.largeFiles >= fewLargeFiles && Number.isFinite(budget.files))) {
        this.#next = file;
        this.#batch.search();
        return this.#results.isLimited;
      }
      const bytes = await this.#search(file);
      spent.files += 1;
      spent.bytes += bytes ?? 0;
      spent.largeFiles += bytes === undefined ? 1 : 0;
    }
    this.#batch.search();
    return true;
  }

  async close(): Promise<void> {
    await this.#files.return(undefined);
  }

  /** How many bytes it took; undefined for a large file. */
  async #search(file: WalkedFile): Promise<number | undefined> {
    try {
      const bytes = await file.directory.readFile(file.name, maxWholeBytes);
      if (bytes !== undefined) this.#batch.add({ path: file.path, bytes });
      else await this.#searchLarge(file.path);
      return bytes?.length;
    } catch (error) {
      this.#noteSkipped(file.path, error);
      return 0;
    }
  }

  async #searchLarge(path: string): Promise<void> {
    this.#batch.search();
    const head = await this.#context.environment.readBytes(path, { offset: 0, length: headBytes });
    if (toSearchableText(head).binary) this.#results.addBinary(path);
    else await searchLargeFile(path, this.#request, this.#results, this.#context);
  }

  /** A file that has gone since the directory was read is no problem. */
  #noteSkipped(path: string, error: unknown): void {
    if (!(error instanceof ToolError) || this.#context.signal.aborted) throw error;
    if (error instanceof RefusedPath) this.#results.addGuarded(path);
    else if (error.code === "denied" || error.code === "unavailable") this.#results.addUnreadable(path);
    else if (error.code === "too-large") this.#results.addTooLarge(path);
  }
}

/** A file that is passed by costs so much of one that is searched. */
const passingCost = 0.1;

/** Large files are searched one by one; where there are more of them, together. */
const fewLargeFiles = 4;

/** After so many files it pays to judge how many there are still to come. */
const fewFiles = 32;
