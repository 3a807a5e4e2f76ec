import { ToolError } from "../../contract/error.ts";
import type { SearchFound, SearchWanted } from "../../contract/whole-operations.ts";
import type { FileContext } from "../../files/list-files.ts";
import { type WalkedFile, walkFiles } from "../../files/walk.ts";
import { abortError } from "../../lib/async/abort.ts";
import { Semaphore } from "../../lib/async/semaphore.ts";
import { isExhaustion } from "../../lib/exhaustion.ts";
import { RefusedPath } from "../../lib/refused-path.ts";
import { toSearchableText } from "../../lib/text/searchable-text.ts";
import { OutOfTime, withinTime } from "../../lib/time-bound.ts";
import { type GrepRequest, readRequest } from "./grep-request.ts";
import { GrepResults } from "./grep-results.ts";
import { runRipgrep, testWithRipgrep } from "./run-ripgrep.ts";
import { findScope, type Scope } from "./scope.ts";
import { Batch, headBytes, maxWholeBytes, scanLargeFile, scanText, searchFiles } from "./search-files.ts";

/** This much is searched in process first. That is faster than starting ripgrep, and most searches end here. */
export const usualBudget: Budget = { files: 800, bytes: 16 * 1024 * 1024 };
const noBudget = { files: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };

export interface SearchContext extends FileContext {
  /** The caller. Callers take turns. */
  readonly seen?: object | undefined;
}

export async function searchAll(
  wanted: SearchWanted,
  context: SearchContext,
  { without, ...budget }: Budget & { readonly without?: readonly string[] | undefined },
): Promise<SearchFound> {
  const request = readRequest(wanted);
  const scope = await findScope(context.environment, wanted.path ?? ".");
  const results = new GrepResults(request, without);
  await search(scope, request, results, context, budget);
  const { hits, isLimited, hasCutFiles, searchedFiles, binaryFiles, engine, skipped, binary } = results;
  return {
    ...{ hits, isLimited, hasCutFiles, searchedFiles, binaryFiles, engine, skipped, binary },
    scope: { kind: scope.kind, path: scope.path },
  };
}

/** Searches a file or directory. The answer is the same with and without ripgrep. */
async function search(
  scope: Scope,
  request: GrepRequest,
  results: GrepResults,
  context: SearchContext,
  budget: Budget,
): Promise<void> {
  const inProcess: InProcessSearch =
    scope.kind === "file"
      ? { run: (budget) => searchFile(scope, budget, request, results, context), close: async () => {} }
      : new DirectorySearch(scope.path, request, results, context);
  try {
    const first = await attempt(inProcess.run(budget));
    if (first === "done") return;
    const searchesAgain = first === "unfinished" && request.regex.untranslatable === undefined;
    const hasPath = scope.kind === "directory" || !scope.isOutput;
    if (hasPath && (await runRipgrep(scope, request, results, context, { searchesAgain }))) return;
    if (request.regex.untranslatable !== undefined) throw onlyForRipgrep(request.regex.untranslatable, scope);
    const second = first === "unfinished" ? await attempt(inProcess.run(noBudget)) : first;
    if (second === "done") return;
    throw new ToolError("timeout", "The search for this pattern takes too long", {
      hint: "Avoid nested repetitions such as (a+)+, or search for a part of the pattern with literal set to true.",
    });
  } finally {
    await inProcess.close();
  }
}

async function attempt(run: Promise<boolean>): Promise<"done" | "unfinished" | "too-slow"> {
  try {
    return (await run) ? "done" : "unfinished";
  } catch (error) {
    if (error instanceof OutOfTime) return "too-slow";
    throw error;
  }
}

function onlyForRipgrep(reason: string, scope: Scope): ToolError {
  const why =
    scope.kind === "file" && scope.isOutput ? "which cannot search stored outputs" : "which is not available";
  return new ToolError("unsupported", `Only ripgrep, ${why}, understands this pattern: ${reason}`, {
    hint: "Use a simpler pattern, or several calls.",
  });
}

/** An in-process search that can be continued. */
interface InProcessSearch {
  /** Continues within the budget; returns whether it is finished. Throws OutOfTime for a slow pattern. */
  run(budget: Budget): Promise<boolean>;
  close(): Promise<void>;
}

export interface Budget {
  readonly files: number;
  readonly bytes: number;
}

/** Searches a directory file by file, ordered by path. */
class DirectorySearch implements InProcessSearch {
  readonly #request: GrepRequest;
  readonly #results: GrepResults;
  readonly #context: SearchContext;
  readonly #files: AsyncGenerator<WalkedFile>;
  readonly #batch: Batch;
  /** The length of the prefix of every path that filters do not see. */
  readonly #cut: number;
  /** A file that was found but did not fit the budget. */
  #next: WalkedFile | undefined;

  constructor(directory: string, request: GrepRequest, results: GrepResults, context: SearchContext) {
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
      failed: (path) => void results.skipped.unreadable.add(path),
    });
  }

  async run(budget: Budget): Promise<boolean> {
    if (budget.files === 0 || this.#request.regex.untranslatable !== undefined) return false;
    const turn = new Turn(this.#context);
    try {
      return await this.#run(budget, turn);
    } finally {
      turn.end();
    }
  }

  async #run(budget: Budget, turn: Turn): Promise<boolean> {
    const spent = { files: 0, bytes: 0, largeFiles: 0 };
    for (let met = 1; !this.#results.isLimited; met += 1) {
      if (met > filesWithoutTurn) await turn.begin();
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

  /** Searches a file and returns its size, or undefined for a large file. */
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

  /** Notes why a file was skipped. A file that was deleted after the directory was read is not reported. */
  #noteSkipped(path: string, error: unknown): void {
    if (!(error instanceof ToolError) || this.#context.signal.aborted || isExhaustion(error)) throw error;
    const { skipped } = this.#results;
    if (error instanceof RefusedPath) skipped.guarded.add(path);
    else if (error.code === "denied" || error.code === "unavailable") skipped.unreadable.add(path);
    else if (error.code === "too-large") skipped.tooLarge.add(path);
  }
}

/** So many files are searched at once, so that a quick search does not wait for others. */
const filesWithoutTurn = 24;

/** Searches in process at a time. If many shared the processor, none would soon have an answer. */
const turns = new Semaphore(2);

/** A search that takes longer no longer keeps others waiting. */
const longestTurnMs = 500;

/** The turn of one search, which ends after a while in any case. Callers take turns, too. */
class Turn {
  readonly #context: SearchContext;
  #begun = false;
  #end: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(context: SearchContext) {
    this.#context = context;
  }

  async begin(): Promise<void> {
    if (this.#begun) return;
    this.#begun = true;
    const { signal, seen } = this.#context;
    this.#end = await turns.take(signal, (by) => abortError(by, "The search was cancelled"), seen);
    this.#timer = setTimeout(this.#end, longestTurnMs).unref();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#end?.();
  }
}

/** The cost of a skipped file relative to a searched one. */
const passingCost = 0.1;

/** After this many large files, ripgrep searches the rest. */
const fewLargeFiles = 4;

/** After this many files, the number of remaining files is estimated. */
const fewFiles = 32;

/** Searches one file or stored output that was named explicitly, even if it is ignored, hidden or binary. */
async function searchFile(
  { path, bytes, isOutput }: Scope & { kind: "file" },
  budget: Budget,
  request: GrepRequest,
  results: GrepResults,
  context: SearchContext,
): Promise<boolean> {
  const isSmall = bytes <= Math.min(maxWholeBytes, budget.bytes);
  const length = isSmall ? maxWholeBytes : headBytes;
  const content = await context.environment.readBytes(path, { offset: 0, length });
  const text = toSearchableText(content);
  const canSearch = request.regex.untranslatable === undefined;
  if (text.binary) {
    const matches =
      isSmall && canSearch
        ? withinTime(binaryMs, () => scanText(text, { ...request, mode: "files" }, 1).count > 0)
        : isOutput
          ? undefined
          : await testWithRipgrep(path, request, context);
    results.binary = { path, matches };
    return true;
  }
  if (!canSearch) return false;
  if (isSmall) searchFiles([{ path, bytes: content }], request, results);
  else if (isOutput) await scanLargeFile(path, request, results, context);
  else await searchLargeFile(path, request, results, context);
  return true;
}

const binaryMs = 500;

/** Searches one large text file, with ripgrep if available, because it is faster there. */
async function searchLargeFile(
  path: string,
  request: GrepRequest,
  results: GrepResults,
  context: SearchContext,
): Promise<void> {
  const scope = { kind: "file", path, bytes: 0, isOutput: false } as const;
  if (await runRipgrep(scope, request, results, context, { searchesAgain: true })) return;
  await scanLargeFile(path, request, results, context);
}
