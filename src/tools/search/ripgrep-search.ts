import type { RunningProcess } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { ShownLine } from "../../contract/whole-operations.ts";
import type { FileContext } from "../../files/list-files.ts";
import { throwIfAborted } from "../../lib/async/abort.ts";
import { TimeSlice } from "../../lib/async/time-slice.ts";
import { isExhaustion } from "../../lib/exhaustion.ts";
import type { GrepRequest } from "./grep-request.ts";
import type { GrepResults } from "./grep-results.ts";
import { confirmLines, type RipgrepLine, readCounts, readLines } from "./ripgrep-output.ts";
import { Batch, type FileToSearch, maxWholeBytes, scanLargeFile, searchFiles } from "./search-files.ts";

export type Ripgrep = Pick<RunningProcess, "stdout" | "stderr" | "exit" | "stop">;

/**
 * Consumes the results of a running ripgrep. ripgrep opens files by path, so a swapped link can mislead it. Therefore
 * every reported line is read again through the workspace boundary, and a file without that line is searched in
 * process.
 */
export class RipgrepSearch {
  readonly #process: Ripgrep;
  readonly #request: GrepRequest;
  readonly #results: GrepResults;
  readonly #context: FileContext;
  readonly #options: RipgrepSearchOptions;
  readonly #batch: Batch;
  readonly #timeSlice: TimeSlice;

  constructor(
    process: Ripgrep,
    request: GrepRequest,
    results: GrepResults,
    context: FileContext,
    options: RipgrepSearchOptions,
  ) {
    this.#process = process;
    this.#request = request;
    this.#results = results;
    this.#context = context;
    this.#options = options;
    this.#batch = new Batch(request, results);
    this.#timeSlice = new TimeSlice(context.signal);
  }

  /** Runs until ripgrep ends or enough is found. Throws OutOfTime when the pattern takes too long in process. */
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

  /** Collects lines until there are many, or more than were requested, because confirming them together is fastest. */
  async #takeLines(): Promise<void> {
    let waiting: ReportedFile[] = [];
    let lineCount = 0;
    for await (const lines of readLines(this.#process.stdout)) {
      for (const line of lines) {
        if (waiting.at(-1)?.path !== line.path) waiting.push({ path: line.path, lines: [] });
        waiting.at(-1)!.lines.push(line);
      }
      lineCount += lines.length;
      if (lineCount < manyLines && lineCount <= this.#results.left) continue;
      // ripgrep may report more lines of the last file.
      const last = waiting.pop()!;
      await this.#takeFiles(waiting);
      const isEnough = matchesIn(last) > this.#results.wanted;
      if (isEnough) await this.#takeFiles([last]);
      if (this.#results.isLimited) return;
      waiting = isEnough ? [] : [last];
      lineCount = isEnough ? 0 : last.lines.length;
    }
    await this.#takeFiles(waiting);
  }

  async #takeCounts(): Promise<void> {
    for await (const counts of readCounts(this.#process.stdout)) {
      for (const { path, count } of counts) {
        if (!(await this.#isWanted(path))) continue;
        const file = this.#options.searchesAgain ? await this.#read(path) : await this.#look(path);
        if (file === "too-large") this.#results.add({ path, count, lines: [], hasMore: false });
        else if (file !== "missing") this.#batch.add(file);
      }
      this.#batch.search();
      if (this.#results.isLimited) return;
    }
  }

  #isWanted(path: string): boolean | Promise<boolean> {
    return !this.#results.wasSearched(path) && this.#options.accepts(path);
  }

  async #takeFiles(files: readonly ReportedFile[]): Promise<void> {
    for (const file of files) {
      if (this.#results.isLimited) return;
      if (await this.#isWanted(file.path)) await this.#takeFile(file);
      if (this.#timeSlice.isOver) await this.#timeSlice.next();
    }
  }

  async #takeFile(file: ReportedFile): Promise<void> {
    const { path, lines } = file;
    const { mode } = this.#request;
    const reported = mode === "content" ? lines : lines.slice(0, 1);
    const confirmed = await confirmLines(this.#context.environment, path, reported).catch(ignoreMissing);
    if (confirmed === "missing") return;
    if (confirmed === undefined) return this.#searchChanged(path);
    const hits =
      mode === "content"
        ? firstMatches(confirmed, this.#results.wanted, this.#request)
        : { count: matchesIn(file), lines: [], hasMore: false };
    this.#results.add({ path, ...hits });
  }

  /** Searches a file without the line that ripgrep saw: ripgrep was misled, or the file has changed. */
  async #searchChanged(path: string): Promise<void> {
    if (!this.#options.searchesAgain) return;
    const file = await this.#read(path);
    if (file === "too-large") await scanLargeFile(path, this.#request, this.#results, this.#context);
    else if (file !== "missing") searchFiles([file], this.#request, this.#results);
  }

  /** Reads a file. A file that is missing, outside or denied is not reported, not even that it matches. */
  async #read(path: string): Promise<FileToSearch | "too-large" | "missing"> {
    const { environment, signal } = this.#context;
    try {
      return { path, bytes: (await environment.readFile(path, { maxBytes: maxWholeBytes, signal })).bytes };
    } catch (error) {
      if (!(error instanceof ToolError) || signal.aborted || isExhaustion(error)) throw error;
      return error.code === "too-large" ? "too-large" : "missing";
    }
  }

  async #look(path: string): Promise<"too-large" | "missing"> {
    const look = this.#context.environment.readBytes(path, { offset: 0, length: 0 });
    return look.then(() => "too-large" as const, ignoreMissing);
  }

  /** Notes unreadable files. Any other message of ripgrep concerns the pattern. */
  #noteProblems(text: string): void {
    const others = text.split("\n").filter((line) => {
      const path = /^rg: \.\/(.*): .*\(os error \d+\)$/.exec(line)?.[1];
      if (path !== undefined) this.#results.skipped.unreadable.add(path);
      return path === undefined && line !== "";
    });
    if (others.length === 0 || this.#results.hits.length > 0) return;
    throw new ToolError(
      "invalid-input",
      `ripgrep rejected the search: ${others.join("\n").replace(/^rg: /, "")}`,
      { hint: "Correct the pattern, or set literal to true to search for plain text." },
    );
  }
}

interface RipgrepSearchOptions {
  /** Whether a changed file is searched again in process, which the pattern must allow. */
  readonly searchesAgain: boolean;
  accepts(path: string): boolean | Promise<boolean>;
}

interface ReportedFile {
  readonly path: string;
  readonly lines: RipgrepLine[];
}

/** The maximum number of lines that are confirmed together. */
const manyLines = 1000;

function matchesIn({ lines }: ReportedFile): number {
  return lines.filter(({ matched }) => matched).length;
}

function ignoreMissing(error: unknown): "missing" {
  if (!(error instanceof ToolError) || isExhaustion(error)) throw error;
  return "missing";
}

/** Returns the first matching lines with their neighbours. */
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
  return new ToolError("unavailable", `ripgrep ended early (${how})`, {
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
