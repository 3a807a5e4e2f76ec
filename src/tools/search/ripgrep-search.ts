import type { RunningProcess } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { confirmLines } from "./confirm-lines.ts";
import type { GrepRequest } from "./grep-request.ts";
import type { GrepResults } from "./grep-results.ts";
import type { ShownLine } from "./hits.ts";
import { type RipgrepLine, readCounts, readLines } from "./ripgrep-output.ts";
import { scanLargeFile } from "./scan-large-file.ts";
import { Batch, maxWholeBytes } from "./search-files.ts";

/**
 * Takes what a running ripgrep finds. It opens files by path and so can be led astray; therefore it only tells where
 * to look: small files are searched again in process, of large ones each line is read again, both through the boundary.
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
    try {
      if (this.#request.mode === "count" && !this.#request.multiline) await this.#takeCounts();
      else await this.#takeLines();
    } finally {
      this.#process.stop();
    }
    const { code } = await this.#process.exit;
    if (code === 2) this.#noteProblems(await problems);
  }

  async #takeLines(): Promise<void> {
    let file: ReportedFile | undefined;
    for await (const lines of readLines(this.#process.stdout)) {
      for (const line of lines) {
        if (file?.path !== line.path) {
          await this.#takeFile(file);
          file = { path: line.path, lines: [], isHandled: await this.#isHandled(line.path) };
        }
        if (!file.isHandled) file.lines.push(line);
      }
      this.#batch.search();
      if (this.#results.isLimited) return;
    }
    await this.#takeFile(file);
    this.#batch.search();
  }

  async #takeCounts(): Promise<void> {
    for await (const counts of readCounts(this.#process.stdout)) {
      for (const { path, count } of counts) {
        if (!(await this.#isHandled(path))) this.#results.add({ path, count, lines: [], hasMore: false });
      }
      this.#batch.search();
      if (this.#results.isLimited) return;
    }
  }

  /** Whether nothing is left to do for a file: not wanted, or small enough to be searched here. */
  async #isHandled(path: string): Promise<boolean> {
    if (this.#results.wasSearched(path) || !(await this.#options.accepts(path))) return true;
    if (!this.#options.searchesAgain) return false;
    const { environment, signal } = this.#context;
    try {
      const { bytes } = await environment.readFile(path, { maxBytes: maxWholeBytes, signal });
      this.#batch.add({ path, bytes });
      return true;
    } catch (error) {
      if (!(error instanceof ToolError) || signal.aborted) throw error;
      // Anything but its size means that it is gone, or never was inside.
      return error.code !== "too-large";
    }
  }

  async #takeFile(file: ReportedFile | undefined): Promise<void> {
    if (file === undefined || file.isHandled) return;
    const { mode } = this.#request;
    const reported = mode === "content" ? file.lines : file.lines.slice(0, 1);
    const confirmed = await confirmLines(this.#context.environment, file.path, reported).catch(ignoreGone);
    if (confirmed === "gone") return;
    if (confirmed === undefined) return this.#searchChanged(file.path);
    if (mode !== "content") {
      const count = file.lines.filter(({ matched }) => matched).length;
      return this.#results.add({ path: file.path, count, lines: [], hasMore: false });
    }
    this.#results.add({ path: file.path, ...firstMatches(confirmed, this.#results.wanted, this.#request) });
  }

  /** What ripgrep saw is not there: it was led astray, or the file has changed meanwhile. */
  async #searchChanged(path: string): Promise<void> {
    if (!this.#options.searchesAgain) return;
    await scanLargeFile(path, this.#request, this.#results, this.#context);
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
  /** Small files are searched again in process; not when the pattern cannot be searched for there. */
  readonly searchesAgain: boolean;
  /** Whether a file that ripgrep has found is wanted. */
  accepts(path: string): Promise<boolean>;
}

interface ReportedFile {
  readonly path: string;
  readonly lines: RipgrepLine[];
  readonly isHandled: boolean;
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

const maxProblemChars = 64 * 1024;

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    if (text.length < maxProblemChars) text += decoder.decode(chunk, { stream: true });
  }
  return text;
}
