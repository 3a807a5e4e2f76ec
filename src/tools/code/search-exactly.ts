import { languageOf } from "../../code/languages/language-of.ts";
import type { OutlinedSymbol, ProjectIndex } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import type { ToolContext } from "../../contract/tool.ts";
import type { ShownLine } from "../../contract/whole-operations.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { isExhaustion } from "../../lib/exhaustion.ts";
import { roleOf } from "../../lib/file-roles.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { toSearchableText } from "../../lib/text/searchable-text.ts";
import { OutOfTime } from "../../lib/time-bound.ts";
import { grep } from "../search/grep.ts";
import { type GrepRequest, readRequest } from "../search/grep-request.ts";
import { GrepResults } from "../search/grep-results.ts";
import { usualBudget } from "../search/grep-search.ts";
import { maxWholeBytes, scanLargeFile, searchFiles } from "../search/search-files.ts";
import {
  type CodeSearchData,
  type FoundCode,
  foundSymbol,
  type SearchQuery,
  type SearchWanted,
} from "./found-code.ts";

type ExactQuery = Exclude<SearchQuery, { way: "words" }>;

/** Finds every matching line, as ripgrep would. The index selects the files; their current content is read. */
export async function searchExactly(
  query: ExactQuery,
  wanted: SearchWanted,
  context: ToolContext,
): Promise<CodeSearchData> {
  const request = requestFor(query);
  const { files, index } = await matchingFiles(query, request, wanted, context);
  const found: FoundCode[] = [];
  const waiting: MatchingFile[] = [];
  let hasMore = false;
  const describe = async () => {
    const group = waiting.splice(0);
    const isOutlined = group.length > 0 && found.length < mostOutlined;
    const symbols = isOutlined ? await symbolsOf(group, index, context) : [];
    for (const [position, file] of group.entries())
      found.push(...groupBySymbol(file, symbols[position] ?? [], wanted));
  };
  for await (const file of files) {
    hasMore ||= file.hasMore;
    if (file.lines.length === 0) continue;
    if (found.length >= wanted.limit) {
      hasMore = true;
      break;
    }
    waiting.push(file);
    if (waiting.length === describedAtOnce || found.length + waiting.length >= wanted.limit) await describe();
  }
  await describe();
  const results = found.slice(0, wanted.limit);
  return {
    way: query.way,
    results,
    limited: hasMore || found.length > wanted.limit,
    index: index?.state,
  };
}

function requestFor({ pattern, way, ignoreCase }: ExactQuery): GrepRequest {
  try {
    return readRequest({ pattern, literal: way === "literal", ignore_case: ignoreCase });
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    throw new ToolError(error.code, error.message, {
      hint: 'Correct the expression, or put plain text in "quotes". Across lines: search.grep with multiline.',
    });
  }
}

interface MatchingFile {
  readonly path: string;
  /** The content in which the lines were found; undefined when it was read piece by piece. */
  readonly bytes?: Uint8Array | undefined;
  /** Empty when no line matches, the file is in another language, or it was yielded before. */
  readonly lines: readonly ShownLine[];
  /** Whether there may be more matching lines or files. */
  readonly hasMore: boolean;
}

/** Only this many results get symbols, because each needs a parsed file. */
const mostOutlined = 50;

/** The symbols of this many files are requested together, which is faster than one after the other. */
const describedAtOnce = 4;

async function matchingFiles(
  query: ExactQuery,
  request: GrepRequest,
  wanted: SearchWanted,
  context: ToolContext,
): Promise<{ readonly files: AsyncIterable<MatchingFile>; readonly index: ProjectIndex | undefined }> {
  const { code, signal } = context;
  const { language, path } = wanted;
  if (request.regex.untranslatable !== undefined)
    return { files: withRipgrep(request, wanted, context), index: undefined };
  try {
    const index = await code.index({ signal, progress: (message) => context.progress(message) });
    const { way, pattern, ignoreCase } = query;
    const asked = { kind: way, text: pattern, ignoreCase, language, path, symbol: pattern };
    const first = await index.candidates({ ...asked, limit: fewFiles }, { signal });
    const candidates = async function* () {
      yield* first;
      if (first.length < fewFiles) return;
      const known = new Set(first);
      for (const path of await index.candidates(asked, { signal })) if (!known.has(path)) yield path;
    };
    return { files: lookInto(candidates(), request, wanted, context), index };
  } catch (error) {
    throwUnlessUnavailable(error, signal);
    return { files: withRipgrep(request, wanted, context), index: undefined };
  }
}

/** Throws every error except one by which the index cannot be used: ripgrep searches instead. */
function throwUnlessUnavailable(error: unknown, signal: AbortSignal): void {
  if (!(error instanceof ToolError) || signal.aborted || isExhaustion(error)) throw error;
  if (error.code !== "unavailable") throw error;
}

/**
 * The number of candidates in the first request. A common text is in many more files, and passing all their paths between
 * processes takes long.
 */
const fewFiles = 1000;

/** Sorts files by their role, code first, and then by path. */
function sortByRole(paths: readonly string[]): string[] {
  const ordered = paths.map((path) => ({ path, rank: roleOf(path) }));
  return ordered
    .sort((one, other) => one.rank - other.rank || (one.path < other.path ? -1 : 1))
    .map(({ path }) => path);
}

async function* lookInto(
  paths: AsyncIterable<string>,
  request: GrepRequest,
  wanted: SearchWanted,
  context: ToolContext,
): AsyncGenerator<MatchingFile> {
  const done = new Set<string>();
  const buffer = Buffer.allocUnsafeSlow(usualBytes);
  try {
    for await (const path of paths) {
      const file = await linesOf(path, request, wanted, { ...context, buffer });
      done.add(path);
      yield file;
    }
  } catch (error) {
    if (!(error instanceof OutOfTime)) throwUnlessUnavailable(error, context.signal);
    for await (const file of withRipgrep(request, wanted, context))
      yield done.has(file.path) ? { ...file, lines: [] } : file;
  }
}

/** The candidates are read into a buffer of this size. Few files are larger. */
const usualBytes = 1024 * 1024;

/** Returns no lines if the file is missing, binary, denied, or in another language. */
async function linesOf(
  path: string,
  request: GrepRequest,
  { language }: SearchWanted,
  context: ToolContext & { readonly buffer: Uint8Array },
): Promise<MatchingFile> {
  const { environment, signal, buffer } = context;
  const results = new GrepResults({ mode: "content", limit: mostLines });
  const isOther = (text: () => string) => language !== undefined && languageOf(path, text()) !== language;
  const none = { path, lines: [], hasMore: false };
  let bytes: Uint8Array | undefined;
  try {
    const file = await environment.readFile(path, { maxBytes: maxWholeBytes, into: buffer, signal });
    searchFiles([{ path, bytes: file.bytes }], request, results);
    if (results.hits.length === 0 || isOther(() => toSearchableText(file.bytes).text)) return none;
    bytes = Buffer.from(file.bytes);
  } catch (error) {
    if (!(error instanceof ToolError) || signal.aborted || isExhaustion(error)) throw error;
    if (error.code !== "too-large" || isOther(() => "")) return none;
    await scanLargeFile(path, request, results, context);
  }
  const lines = results.hits.flatMap((hit) => hit.lines);
  return { path, bytes, lines, hasMore: results.isLimited };
}

/** Limits the matching lines of one file, because a large file may have millions. */
const mostLines = 10_000;

/** Searches with ripgrep. Used without an index, and for patterns that only ripgrep supports. */
async function* withRipgrep(
  request: GrepRequest,
  { path, language, limit }: SearchWanted,
  context: ToolContext,
): AsyncGenerator<MatchingFile> {
  const isGlob = path !== undefined && /[*?[{!]/.test(path);
  const input = {
    pattern: request.pattern,
    literal: request.literal,
    ignore_case: request.ignoreCase,
    limit: Math.min(100_000, limit * 100),
    glob: isGlob ? path : undefined,
    path: isGlob ? undefined : path,
  };
  const { data } = await grep(input, context, usualBudget);
  const files = new Map<string, ShownLine[]>();
  for (const { path: found, line, text } of data.matches) {
    files.set(found, [...(files.get(found) ?? []), { line, text, matched: true }]);
  }
  for (const found of sortByRole([...files.keys()])) {
    const isWanted = language === undefined || languageOf(found, "") === language;
    yield { path: found, lines: isWanted ? files.get(found)! : [], hasMore: data.limited };
  }
}

/** Returns the symbols around the lines: those of the index while the content is the same, otherwise those of a new parse. */
async function symbolsOf(
  files: readonly MatchingFile[],
  index: ProjectIndex | undefined,
  context: ToolContext,
): Promise<readonly (readonly OutlinedSymbol[])[]> {
  const { signal } = context;
  const wanted = files.map(({ path, lines }) => ({ path, lines: lines.map(({ line }) => line) }));
  const indexed = (await index?.symbolsAround(wanted, { signal }).catch(orParsed(signal))) ?? [];
  return Promise.all(
    files.map(({ path, bytes }, position) => {
      const known = indexed[position];
      const isCurrent = known !== undefined && bytes !== undefined && contentHash(bytes) === known.hash;
      return isCurrent ? known.symbols : parsedSymbols(path, bytes, context);
    }),
  );
}

/** Without stored symbols, files are parsed. */
function orParsed(signal: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof ToolError) || signal.aborted) throw error;
  };
}

async function parsedSymbols(
  path: string,
  known: Uint8Array | undefined,
  { environment, code, signal }: ToolContext,
): Promise<readonly OutlinedSymbol[]> {
  try {
    const bytes = known ?? (await environment.readFile(path, { maxBytes: maxOutlinedBytes, signal })).bytes;
    if (bytes.length > maxOutlinedBytes) return [];
    const { text } = toSearchableText(bytes);
    return (await code.outline({ path, text }, { signal })).symbols;
  } catch (error) {
    if (!(error instanceof ToolError) || signal.aborted) throw error;
    return [];
  }
}

const maxOutlinedBytes = 512 * 1024;

/** Merges matching lines in one symbol into one result. */
function groupBySymbol(
  { path, lines }: MatchingFile,
  symbols: readonly OutlinedSymbol[],
  { kinds }: SearchWanted,
): FoundCode[] {
  const groups = new Map<OutlinedSymbol | undefined, ShownLine[]>();
  for (const line of lines) {
    const around = symbols.filter(
      ({ firstLine, lastLine }) => firstLine <= line.line && line.line <= lastLine,
    );
    const symbol = around.findLast(({ kind }) => kinds === undefined || kinds.includes(kind));
    if (kinds !== undefined && !symbol) continue;
    groups.set(symbol, [...(groups.get(symbol) ?? []), line]);
  }
  return Array.from(groups, ([symbol, matching]) => ({
    path,
    firstLine: matching[0]!.line,
    lastLine: matching.at(-1)!.line,
    symbol: symbol && foundSymbol(symbol, namesAround(symbol, symbols)),
    why: counted(matching.length, "matching line"),
    matches: matching.map(({ line }) => line),
    excerpt: matching
      .slice(0, mostShown)
      .map(({ line, text }) => ({ line, text: text.slice(0, maxLineChars) })),
  }));
}

const mostShown = 3;
const maxLineChars = 200;

function namesAround({ parent }: OutlinedSymbol, symbols: readonly OutlinedSymbol[]): string[] {
  const names: string[] = [];
  for (let at = parent; at !== undefined; at = symbols[at]!.parent) names.unshift(symbols[at]!.name);
  return names;
}
