import * as z from "zod/mini";
import { kindsCalled } from "../../code/blocks/kind-words.ts";
import { findLanguage } from "../../code/languages/find-language.ts";
import { bestLines } from "../../code/search/query.ts";
import { type IndexHit, type SymbolKind, symbolKinds } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import type { Tool, ToolContext } from "../../contract/tool.ts";
import { decodeText } from "../../lib/text/encoding.ts";
import { amount, string } from "../fields.ts";
import { findScope } from "../search/scope.ts";
import { showLine } from "../search/search-files.ts";
import {
  type CodeSearchData,
  type ExcerptLine,
  type FoundCode,
  foundSymbol,
  readQuery,
  type SearchWanted,
  showFound,
} from "./found-code.ts";
import { patientIndex } from "./mentions.ts";
import { searchExactly } from "./search-exactly.ts";

const input = z.strictObject({
  query: z.string().check(z.minLength(1), z.describe('A question, names, "exact text" or /regex/.')),
  kind: string("function, class, heading ..."),
  language: string('"rust", "ts".'),
  path: string('Folder, file or "src/**/*.ts".'),
  limit: amount(1, 10_000, "Default 10."),
});

export type CodeSearchInput = z.infer<typeof input>;

export const codeSearch: Tool<CodeSearchInput, CodeSearchData> = {
  name: "code.search",
  description:
    "Search code by words or name. Returns the best matches first. For exact text use search.grep.",
  risk: "read",
  input,
  limits: { maxChars: 16_000, keep: "head" },
  accesses: ({ path }) => [{ kind: "read", path: folderOf(path) }],

  async run(input, context) {
    const query = readQuery(input.query);
    const wanted = await readWanted(input, context);
    const data =
      query.way === "words"
        ? await searchByWords(query.words, wanted, context)
        : await searchExactly(query, wanted, context);
    return showFound(input.query, data, wanted);
  },
};

async function readWanted(
  { kind, language, path, limit = 10 }: CodeSearchInput,
  { environment }: ToolContext,
): Promise<SearchWanted> {
  return {
    limit,
    kinds: kind === undefined ? undefined : readKinds(kind),
    language: language === undefined ? undefined : findLanguage(language).name,
    path: path === undefined || isGlob.test(path) ? path : await realPath(path, environment),
  };
}

async function realPath(path: string, environment: ToolContext["environment"]): Promise<string | undefined> {
  const scope = await findScope(environment, path);
  if (scope.kind === "file" && scope.isOutput) {
    throw new ToolError("unsupported", `${path} is not part of the workspace`, {
      hint: "Search it with search.grep.",
    });
  }
  return scope.path === "" ? undefined : scope.path;
}

function readKinds(kind: string): readonly SymbolKind[] {
  const kinds = kindsCalled(kind);
  if (kinds.length > 0) return kinds;
  throw new ToolError("invalid-input", `Unknown symbol kind "${kind}"`, {
    hint: `Use one of: ${symbolKinds.join(", ")}.`,
  });
}

const isGlob = /[*?[{!]/;

/** Returns the folder that contains everything a path or glob can match. */
function folderOf(path = "."): string {
  if (!isGlob.test(path)) return path;
  const fixed = path.slice(0, path.search(isGlob));
  return fixed.includes("/") ? fixed.slice(0, fixed.lastIndexOf("/")) || "/" : ".";
}

/** Finds the best symbols for a question. The text of each result is read from its file. */
async function searchByWords(
  words: string,
  { kinds, language, path, limit }: SearchWanted,
  context: ToolContext,
): Promise<CodeSearchData> {
  const { signal } = context;
  const index = await patientIndex(context);
  const query = { words, kinds, language, path, limit: limit + 1 };
  const { hits, problem } = await index.search(query, { signal });
  const results: FoundCode[] = [];
  for (const hit of hits.slice(0, limit)) {
    const found = await describe(hit, words, { lines: limit <= 10 ? 5 : limit <= 25 ? 2 : 0, context });
    if (found) results.push(found);
  }
  const wordsOnly = problem?.message;
  return { way: "words", results, limited: hits.length > limit, index: index.state, wordsOnly };
}

/** Returns undefined when the file is missing or may not be read. */
async function describe(
  { path, firstLine, lastLine, symbol, why }: IndexHit,
  words: string,
  { lines, context }: { readonly lines: number; readonly context: ToolContext },
): Promise<FoundCode | undefined> {
  try {
    const excerpt = lines === 0 ? [] : await excerptOf(path, { firstLine, lastLine }, words, lines, context);
    const shown = symbol && foundSymbol(symbol, symbol.within);
    return { path, firstLine, lastLine, symbol: shown, why, matches: [], excerpt };
  } catch (error) {
    if (!(error instanceof ToolError) || context.signal.aborted) throw error;
    return undefined;
  }
}

const maxPieceBytes = 64 * 1024;
const maxLineChars = 160;

async function excerptOf(
  path: string,
  { firstLine, lastLine }: Pick<FoundCode, "firstLine" | "lastLine">,
  words: string,
  count: number,
  { environment, signal }: ToolContext,
): Promise<ExcerptLine[]> {
  const range = { first: firstLine, count: lastLine - firstLine + 1, maxBytes: maxPieceBytes };
  const { bytes, encoding } = await environment.readLines(path, range, signal);
  if (encoding === "binary") return [];
  const texts = decodeText(bytes, encoding).text.split("\n");
  return bestLines(texts, words, count).map((index) => {
    const text = showLine(texts[index]!, 0);
    return {
      line: firstLine + index,
      text: text.length > maxLineChars ? `${text.slice(0, maxLineChars)} […]` : text,
    };
  });
}
