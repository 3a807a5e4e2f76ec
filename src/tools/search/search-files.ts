import type { LineSlice } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { FileHits, ShownLine } from "../../contract/whole-operations.ts";
import type { FileContext } from "../../files/list-files.ts";
import { TimeSlice } from "../../lib/async/time-slice.ts";
import { byteOrderMarkLength, decodeText } from "../../lib/text/encoding.ts";
import { matchLines } from "../../lib/text/match-lines.ts";
import { type SearchableText, showStrayBytes, toSearchableText } from "../../lib/text/searchable-text.ts";
import { characterStart } from "../../lib/text/truncate.ts";
import { OutOfTime, withinTime } from "../../lib/time-bound.ts";
import { type GrepRequest, mayBacktrack } from "./grep-request.ts";
import type { GrepResults } from "./grep-results.ts";

/** Files up to this size are searched in one piece. */
export const maxWholeBytes: number = 8 * 1024 * 1024;

/** The beginning of a larger file shows whether it is text. */
export const headBytes: number = 64 * 1024;

/** A file that was read through the workspace boundary, to be searched. */
export interface FileToSearch {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Collects files to search them together, because a time limit for each would cost more than the search. */
export class Batch {
  readonly #request: GrepRequest;
  readonly #results: GrepResults;
  #files: FileToSearch[] = [];
  #bytes = 0;

  constructor(request: GrepRequest, results: GrepResults) {
    this.#request = request;
    this.#results = results;
  }

  /** Searches the collected files when there are enough. Throws OutOfTime when the pattern takes too long. */
  add(file: FileToSearch): void {
    this.#files.push(file);
    this.#bytes += file.bytes.length;
    const { files, bytes } = mayBacktrack(this.#request) ? batchOfMany : batchOfOne;
    if (this.#files.length >= files || this.#bytes >= bytes) this.search();
  }

  /** Searches the collected files. */
  search(): void {
    const files = this.#files;
    this.#files = [];
    this.#bytes = 0;
    searchFiles(files, this.#request, this.#results);
  }
}

const batchOfMany = { files: 32, bytes: 1024 * 1024 };
const batchOfOne = { files: 1, bytes: 0 };

/** The time limit of a batch for a pattern that could backtrack endlessly. */
const batchMs = 500;

/** Searches files in the given order until enough is found. */
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
    // A pattern can be too large to compile for text outside ASCII.
    throw error instanceof SyntaxError ? new OutOfTime() : error;
  }
}

const noHits = { count: 0, lines: [], hasMore: false };

/** Returns false for most files that cannot match, by a look at their bytes. */
function couldMatch(bytes: Uint8Array, { regex }: GrepRequest): boolean {
  return byteOrderMarkLength(bytes) === 2 || regex.requiredText.isIn(bytes);
}

/** Searches one text for at most `most` matching lines. */
export function scanText(
  { text, traits }: SearchableText,
  request: Pick<GrepRequest, "regex" | "exclude" | "multiline" | "mode" | "before" | "after">,
  most: number,
): Omit<FileHits, "path"> {
  const { mode, before, after, multiline } = request;
  const lines: ShownLine[] = [];
  let count = 0;
  let last = { line: 0, end: -1 };
  const showUntil = (line: number) => {
    while (last.line < line && last.end + 1 < text.length) {
      const start = last.end + 1;
      last = { line: last.line + 1, end: lineEnd(text, start) };
      lines.push({ line: last.line, text: showLine(text.slice(start, last.end), 0), matched: false });
    }
  };
  const excluded = request.exclude?.compile(traits);
  for (const match of matchLines(text, request.regex.compile(traits), { multiline })) {
    if (excluded !== undefined && occursIn(text.slice(match.start, match.end), excluded)) continue;
    if (count === most) {
      if (mode === "content") showUntil(Math.min(last.line + after, match.line - 1));
      return { count, lines, hasMore: true };
    }
    count += 1;
    if (mode === "files") break;
    if (mode === "count") continue;
    if (count > 1) showUntil(Math.min(last.line + after, match.line - 1));
    const first = Math.max(last.line + 1, match.line - before);
    if (first < match.line) {
      last = { line: first - 1, end: startOfLineBefore(text, match.start, match.line - first) - 1 };
      showUntil(match.line - 1);
    }
    lines.push({
      line: match.line,
      text: showLine(text.slice(match.start, match.end), match.at),
      matched: true,
    });
    last = { line: match.line, end: match.end };
  }
  if (mode === "content" && count > 0) showUntil(last.line + after);
  return { count, lines, hasMore: false };
}

function occursIn(line: string, expression: RegExp): boolean {
  expression.lastIndex = 0;
  return expression.test(line);
}

function lineEnd(text: string, start: number): number {
  const newline = text.indexOf("\n", start);
  return newline < 0 ? text.length : newline;
}

/** Returns the start of the line that is `lines` above the line at `start`. */
function startOfLineBefore(text: string, start: number, lines: number): number {
  let lineStart = start;
  for (let left = lines; left > 0; left -= 1) {
    lineStart = lineStart < 2 ? 0 : text.lastIndexOf("\n", lineStart - 2) + 1;
  }
  return lineStart;
}

const pieceBytes = 4 * 1024 * 1024;
const pieceMs = 2000;

/** A search across lines needs the whole text at once. */
const maxMultilineMegabytes = 64;

/**
 * Searches a file of any size in process, piece by piece. Only the first piece of a very long line is searched. Throws
 * `too-large` when a search across lines would take too much memory.
 */
export async function scanLargeFile(
  path: string,
  request: GrepRequest,
  results: GrepResults,
  { environment, signal }: FileContext,
): Promise<void> {
  if (request.multiline) {
    const maxBytes = maxMultilineMegabytes * 1024 * 1024;
    const { bytes } = await environment.readFile(path, { maxBytes, signal }).catch((error) => {
      throw error instanceof ToolError && error.code === "too-large" ? tooLarge(path) : error;
    });
    return searchFiles([{ path, bytes }], request, results);
  }
  const timeSlice = new TimeSlice(signal);
  const lines: ShownLine[] = [];
  let count = 0;
  let hasMore = false;
  for (let first = 1, isDone = false; !isDone; ) {
    const slice = await environment.readLines(path, { first, count: allLines, maxBytes: pieceBytes }, signal);
    const text = sliceText(slice);
    if (text.binary && count === 0) return results.addBinary(path);
    const found = withinTime(pieceMs, () =>
      scanText(text, { ...request, before: 0, after: 0 }, results.wanted - count),
    );
    const linesBefore = first - 1;
    lines.push(...found.lines.map((shown) => ({ ...shown, line: shown.line + linesBefore })));
    count += found.count;
    hasMore = found.hasMore;
    isDone = hasMore || slice.reachedEnd || text.binary || (request.mode === "files" && count > 0);
    if (slice.cutBytes > 0) results.skipped.partly.add(path);
    first += slice.lines;
    if (timeSlice.isOver) await timeSlice.next();
  }
  results.add({ path, count, lines: await withContext(path, lines, request, environment), hasMore });
}

const allLines = Number.MAX_SAFE_INTEGER;

function tooLarge(path: string): ToolError {
  const message = `${path} is too large to search across lines: the limit is ${maxMultilineMegabytes} MB`;
  return new ToolError("too-large", message, {
    hint: "Search without multiline, or narrow the search to smaller files.",
  });
}

function sliceText(slice: LineSlice): SearchableText {
  if (slice.encoding !== "utf-16le" && slice.encoding !== "utf-16be") return toSearchableText(slice.bytes);
  const { text } = decodeText(slice.bytes, slice.encoding);
  const traits = { ascii: false, carriageReturns: text.includes("\r"), strayBytes: false };
  return { text, traits, binary: text.includes("\0") };
}

/** Adds the neighbours of matching lines. */
async function withContext(
  path: string,
  matches: readonly ShownLine[],
  { before, after }: GrepRequest,
  environment: FileContext["environment"],
): Promise<ShownLine[]> {
  if (before + after === 0) return [...matches];
  const shown = new Map(matches.map((match) => [match.line, match]));
  for (const match of matches) {
    const first = Math.max(1, match.line - before);
    const count = match.line + after - first + 1;
    const slice = await environment.readLines(path, { first, count, maxBytes: pieceBytes });
    const texts = sliceText(slice).text.split("\n").slice(0, slice.lines);
    for (const [index, text] of texts.entries()) {
      const line = first + index;
      if (!shown.has(line)) shown.set(line, { line, text: showLine(text, 0), matched: false });
    }
  }
  return [...shown.values()].sort((one, other) => one.line - other.line);
}

/** A longer line is data or generated code, and would displace other results. */
export const maxLineChars = 500;

/** The number of characters of a long line that are shown before the match. */
export const charsBeforeMatch = 100;

/**
 * Shows a line without its line end. A long line is cut around the match at `at`; `isOpen` says on which sides the line
 * continues beyond `text`.
 */
export function showLine(
  text: string,
  at: number,
  isOpen: { readonly before: boolean; readonly after: boolean } = { before: false, after: false },
): string {
  const line = text.endsWith("\r") ? text.slice(0, -1) : text;
  if (line.length <= maxLineChars && !isOpen.before && !isOpen.after) return showStrayBytes(line);
  const start = characterStart(line, Math.max(0, at - charsBeforeMatch));
  const end = characterStart(line, start + maxLineChars);
  const before = start > 0 || isOpen.before ? "[…] " : "";
  const after = end < line.length || isOpen.after ? " […]" : "";
  return before + showStrayBytes(line.slice(start, end)) + after;
}
