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
  /** Met, and too much for the budget. */
  #next: WalkedFile | undefined;

  constructor(directory: string, request: GrepRequest, results: GrepResults, context: ToolContext) {
    this.#request = request;
    this.#results = results;
    this.#context = context;
    this.#batch = new Batch(request, results);
    this.#files = wantedFiles(directory, request, results, context);
  }

  async run(budget: Budget): Promise<boolean> {
    let { files, bytes } = budget;
    while (!this.#results.isLimited) {
      const file = this.#next ?? (await this.#files.next()).value;
      this.#next = undefined;
      if (file === undefined) break;
      const content = files > 0 ? await this.#read(file, Math.min(bytes, maxWholeBytes)) : undefined;
      if (content === undefined && Number.isFinite(budget.files)) {
        this.#next = file;
        this.#batch.search();
        return this.#results.isLimited;
      }
      if (content === undefined) await this.#searchLarge(file);
      else if (content !== "unreadable") this.#batch.add({ path: file.path, bytes: content });
      files -= 1;
      bytes -= content?.length ?? 0;
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

async function* wantedFiles(
  directory: string,
  { filter, hidden, ignoreFiles }: GrepRequest,
  results: GrepResults,
  { environment, signal }: ToolContext,
): AsyncGenerator<WalkedFile> {
  const cut = directory === "" ? 0 : directory.length + 1;
  const files = walkFiles(environment, directory, {
    hidden,
    ignoreFiles,
    signal,
    enters: (path) => filter.enters(path.slice(cut)),
    failed: (path) => results.addUnreadable(path),
  });
  for await (const file of files) {
    if (filter.takes(file.path.slice(cut))) yield file;
  }
}
