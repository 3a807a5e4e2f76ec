import { ToolError } from "../../contract/error.ts";
import type { ToolContext } from "../../contract/tool.ts";
import type { GrepRequest } from "./grep-request.ts";
import type { GrepResults } from "./grep-results.ts";
import { scanLargeFile } from "./scan-large-file.ts";
import { Batch, maxWholeBytes } from "./search-files.ts";
import { type WalkedFile, walkFiles } from "./walk.ts";

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
    const isBounded = Number.isFinite(budget.files);
    let bytes = 0;
    for (let cost = 0; !this.#results.isLimited; ) {
      const file = this.#next ?? (await this.#files.next()).value;
      this.#next = undefined;
      if (file === undefined) break;
      if (!this.#request.filter.takes(file.path.slice(this.#cut))) {
        cost += passingCost;
        continue;
      }
      const isAffordable = cost + (cost > fewFiles ? file.directoriesAhead : 0) < budget.files;
      const most = isAffordable ? Math.min(budget.bytes - bytes, maxWholeBytes) : 0;
      const content = isAffordable ? await this.#read(file, most) : undefined;
      if (content === undefined && isBounded) {
        this.#next = file;
        this.#batch.search();
        return this.#results.isLimited;
      }
      if (content === undefined) await this.#searchLarge(file);
      else if (content !== "unreadable") this.#batch.add({ path: file.path, bytes: content });
      cost += 1;
      bytes += content?.length ?? 0;
    }
    this.#batch.search();
    return true;
  }

  async close(): Promise<void> {
    await this.#files.return(undefined);
  }

  /** Undefined when it is larger than that. */
  async #read(file: WalkedFile, maxBytes: number): Promise<Uint8Array | "unreadable" | undefined> {
    try {
      return await file.directory.readFile(file.name, maxBytes);
    } catch (error) {
      this.#noteUnreadable(file.path, error);
      return "unreadable";
    }
  }

  async #searchLarge(file: WalkedFile): Promise<void> {
    this.#batch.search();
    try {
      await scanLargeFile(file.path, this.#request, this.#results, this.#context);
    } catch (error) {
      this.#noteUnreadable(file.path, error);
    }
  }

  /** A file that has gone since the directory was read is no problem. */
  #noteUnreadable(path: string, error: unknown): void {
    if (!(error instanceof ToolError) || this.#context.signal.aborted) throw error;
    if (error.code === "denied" || error.code === "unavailable") this.#results.addUnreadable(path);
  }
}

/** A file that is passed by costs so much of one that is searched. */
const passingCost = 0.1;

/** After so many files it pays to look how much there is still to come: each directory will hold something. */
const fewFiles = 32;
