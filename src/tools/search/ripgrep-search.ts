import type { RunningProcess } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { throwIfAborted } from "../../text/breath.ts";
import { confirmLines } from "./confirm-lines.ts";
import type { GrepRequest } from "./grep-request.ts";
import type { GrepResults } from "./grep-results.ts";
import type { ShownLine } from "./hits.ts";
import { type RipgrepLine, readCounts, readLines } from "./ripgrep-output.ts";
import { scanLargeFile } from "./scan-large-file.ts";
import { Batch, type FileToSearch, maxWholeBytes, searchFiles } from "./search-files.ts";

/**
 * Takes what a running ripgrep finds. It opens files by path and so can be led astray; therefore every line that it
 * reports is read again through the boundary, and a file where that line is not is searched again in process.
 */
export class RipgrepSearch {
  readonly #process: RunningProcess;
  readonly #request: GrepRequest;
  readonly #results: GrepResults;
  readonly #context: ToolContext;
  readonly #options: RipgrepSearchOptions;
  readonly #batch: Batch;

  constructor(
    process: RunningProcess,
    request: GrepRequest,
    results: GrepResults,
    context: ToolContext,
    options: RipgrepSearchOptions,
  ) {
    this.#process = process;
    this.#request = request;
    this.#results = results;
    this.#context = context;
    this.#options = options;
    this.#batch = new Batch(request, results);
  }

  /** Runs until ripgrep is done or nothing more is wanted. Throws OutOfTime when the pattern takes too long here. */
  async run(): Promise<void> {
    const problems = readAll(this.#process.stderr);
    let isRead = false;
    try {
      if (this.#request.mode === "count" && !this.#request.multiline) await this.#takeCounts();
      else await this.#takeLines();
      isRead = !this.#results.isLimited;
    } finally {
      if (!isRead) this.#process.stop();
    }
    const { code, signal } = await this.#process.exit;
    throwIfAborted(this.#context.signal);
    if (!isRead) return;
    if (code === 2) this.#noteProblems(await problems);
    else if (code !== 0 && code !== 1) throw endedEarly(signal ?? `code ${code}`);
  }

  async #takeLines(): Promise<void> {
    let file: ReportedFile | undefined;
    for await (const lines of readLines(this.#process.stdout)) {
      for (const line of lines) {
        if (file?.path !== line.path) {
          await this.#takeFile(file);
          if (this.#results.isLimited) return;
          file = { path: line.path, lines: [], isWanted: await this.#isWanted(line.path) };
        }
        if (file.isWanted) file.lines.push(line);
      }
      // What comes next may take long to come.
      if (file?.isWanted && this.#isComplete(file)) break;
    }
    await this.#takeFile(file);
  }

  /** Whether no further line of this file can change the answer, nor of any other. */
  #isComplete(file: ReportedFile): boolean {
    if (this.#request.mode === "count") return false;
    return file.lines.filter(({ matched }) => matched).length > this.#results.wanted;
  }

  async #takeCounts(): Promise<void> {
    for await (const counts of readCounts(this.#process.stdout)) {
      for (const { path, count } of counts) {
        if (!(await this.#isWanted(path))) continue;
        const file = this.#options.searchesAgain ? await this.#read(path) : "too-large";
        if (file === "too-large") this.#results.add({ path, count, lines: [], hasMore: false });
        else if (file !== "gone") this.#batch.add(file);
      }
      this.#batch.search();
      if (this.#results.isLimited) return;
    }
  }

  #isWanted(path: string): boolean | Promise<boolean> {
    return !this.#results.wasSearched(path) && this.#options.accepts(path);
  }

  async #takeFile(file: ReportedFile | undefined): Promise<void> {
    if (file === undefined || !file.isWanted) return;
    const { mode } = this.#request;
    const reported = mode === "content" ? file.lines : file.lines.slice(0, 1);
    const confirmed = await confirmLines(this.#context.environment, file.path, reported).catch(ignoreGone);
    if (confirmed === "gone") return;
    if (confirmed === undefined) return this.#searchChanged(file.path);
    if (mode === "content") {
      this.#results.add({ path: file.path, ...firstMatches(confirmed, this.#results.wanted, this.#request) });
    } else {
      const count = file.lines.filter(({ matched }) => matched).length;
      this.#results.add({ path: file.path, count, lines: [], hasMore: false });
    }
  }

  /** What ripgrep saw is not there: it was led astray, or the file has changed meanwhile. */
  async #searchChanged(path: string): Promise<void> {
    if (!this.#options.searchesAgain) return;
    const file = await this.#read(path);
    if (file === "too-large") await scanLargeFile(path, this.#request, this.#results, this.#context);
    else if (file !== "gone") searchFiles([file], this.#request, this.#results);
  }

  /** A file that is gone, or never was inside, has nothing to say. */
  async #read(path: string): Promise<FileToSearch | "too-large" | "gone"> {
    const { environment, signal } = this.#context;
    try {
      return { path, bytes: (await environment.readFile(path, { maxBytes: maxWholeBytes, signal })).bytes };
    } catch (error) {
      if (!(error instanceof ToolError) || signal.aborted) throw error;
      return error.code === "too-large" ? "too-large" : "gone";
    }
  }

  /** Files that cannot be read are noted; anything else that ripgrep complains about is the pattern. */
  #noteProblems(text: string): void {
    const others = text.split("\n").filter((line) => {
      const path = /^rg: \.\/(.*): .*\(os error \d+\)$/.exec(line)?.[1];
      if (path !== undefined) this.#results.addUnreadable(path);
      return path === undefined && line !== "";
    });
    if (others.length === 0 || this.#results.hits.length > 0) return;
    throw new ToolError(
      "invalid-input",
      `ripgrep refuses the search: ${others.join("\n").replace(/^rg: /, "")}`,
      {
        hint: "Correct the pattern, or set literal to true to search for the text as it stands.",
      },
    );
  }
}

export interface RipgrepSearchOptions {
  /** In doubt a file is searched again in process; not when the pattern cannot be searched for there. */
  readonly searchesAgain: boolean;
  /** Whether a file that ripgrep has found is wanted. */
  accepts(path: string): boolean | Promise<boolean>;
}

interface ReportedFile {
  readonly path: string;
  readonly lines: RipgrepLine[];
  readonly isWanted: boolean;
}

function ignoreGone(error: unknown): "gone" {
  if (!(error instanceof ToolError)) throw error;
  return "gone";
}

/** The first matching lines with their neighbours. */
function firstMatches(
  lines: readonly ShownLine[],
  most: number,
  { after }: GrepRequest,
): { readonly count: number; readonly lines: readonly ShownLine[]; readonly hasMore: boolean } {
  const matches = lines.filter(({ matched }) => matched);
  const hasMore = matches.length > most;
  if (!hasMore) return { count: matches.length, lines, hasMore };
  const last = matches[most - 1];
  const end = Math.min((last?.line ?? 0) + after, matches[most]!.line - 1);
  return { count: most, lines: lines.filter(({ line }) => line <= end), hasMore };
}

function endedEarly(how: string): ToolError {
  return new ToolError("unavailable", `ripgrep ended before it was done (${how})`, {
    hint: "Search again, or in a smaller part of the workspace.",
  });
}

const maxProblemChars = 64 * 1024;

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    if (text.length < maxProblemChars) text += decoder.decode(chunk, { stream: true });
  }
  return text;
}
