import type { IndexState, SymbolKind } from "../../contract/code.ts";
import type { ToolOutput } from "../../contract/tool.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine, showPath } from "../../lib/text/printable.ts";

/** A search with all defaults filled in. */
export interface SearchWanted {
  readonly kinds: readonly SymbolKind[] | undefined;
  readonly language: string | undefined;
  /** A path relative to the workspace, or a glob. */
  readonly path: string | undefined;
  readonly limit: number;
}

export interface CodeSearchData {
  /** How the query was interpreted. */
  readonly way: "words" | "literal" | "regex";
  /** The results, best first. */
  readonly results: readonly FoundCode[];
  /** Whether there may be more than `limit` results. */
  readonly limited: boolean;
  /** The state of the index; undefined when the search did not use it. */
  readonly index: IndexState | undefined;
  /** Why the results were found by words and names only, although the user has chosen an embedding model. */
  readonly wordsOnly?: string | undefined;
}

export interface FoundCode {
  readonly path: string;
  /** The lines of the symbol, or of its matching lines. */
  readonly firstLine: number;
  readonly lastLine: number;
  readonly symbol: FoundSymbol | undefined;
  /** The reason for the match: the words that were found, or the number of matching lines. */
  readonly why: string;
  /** The lines that match exactly; empty for a search by words. */
  readonly matches: readonly number[];
  readonly excerpt: readonly ExcerptLine[];
}

interface FoundSymbol {
  readonly kind: SymbolKind;
  readonly name: string;
  /** Names of its parents, outermost first. */
  readonly within: readonly string[];
  readonly firstLine: number;
  readonly lastLine: number;
  readonly signature: string;
}

export function foundSymbol(
  { kind, name, firstLine, lastLine, signature }: Omit<FoundSymbol, "within">,
  within: readonly string[],
): FoundSymbol {
  return { kind, name, within, firstLine, lastLine, signature };
}

export interface ExcerptLine {
  readonly line: number;
  readonly text: string;
}

/** Results with excerpts take about 2 000 tokens. Further results are only named, up to twice as much text. */
const mostChars = 7500;
const mostCharsOfHeads = 2 * mostChars;

/** Shows results with excerpts while they fit, then without. */
export function showFound(
  query: string,
  data: CodeSearchData,
  wanted: SearchWanted,
): ToolOutput<CodeSearchData> {
  const { results, limited, way } = data;
  const state = describeState(data);
  if (results.length === 0)
    return { data, text: [describeNothing(query, data, wanted), ...state].join("\n") };
  const shown: string[] = [];
  let chars = 0;
  for (const found of results) {
    const head = headOf(found);
    const whole = [head, ...found.excerpt.map(({ line, text }) => `  ${line}| ${text}`)].join("\n");
    const fits = chars + whole.length <= mostChars ? whole : head;
    chars += fits.length + 1;
    if (chars > mostCharsOfHeads) break;
    shown.push(fits);
  }
  const unshown = results.length - shown.length;
  const more = unshown === 0 ? [] : [`[… ${counted(unshown, "more result")} not shown: narrow the search]`];
  const text = [...shown, ...more, ...state].join("\n");
  if (!limited) return { data, text };
  const exact = way === "words" ? "" : " search.grep finds and counts all of them.";
  return {
    data,
    text,
    continuation: `There may be more: use more words, or raise \`limit\`, or give \`path\`, or give \`kind\`, or give \`language\`.${exact}`,
  };
}

function headOf({ path, firstLine, lastLine, symbol, why }: FoundCode): string {
  const lines = firstLine === lastLine ? String(firstLine) : `${firstLine}-${lastLine}`;
  const where = `${showPath(path)}:${lines}`;
  const because = why === "" ? "" : `  (${why})`;
  if (!symbol) return `${where}${because}`;
  const within = symbol.within.length === 0 ? "" : ` in ${symbol.within.join(" › ")}`;
  return printableLine(`${where} ${symbol.kind} ${symbol.name}${within}${because}`);
}

function describeNothing(
  query: string,
  { way, limited }: CodeSearchData,
  { kinds, language, path }: SearchWanted,
): string {
  const short = query.length > 100 ? `${query.slice(0, 100)} …` : query;
  if (limited)
    return `Nothing found for ${short}, but not all files were searched. Give \`path\`, or use search.grep.`;
  const narrowed = [kinds && "kind", language && "language", path && "path"].filter(Boolean);
  const wider = narrowed.length === 0 ? [] : [`leave out ${narrowed.join(", ")}`];
  const other = way === "words" ? "use other words" : "search.grep also looks into hidden and ignored files";
  return `Nothing found for ${short}. Try this: ${[...wider, other].join("; or ")}.`;
}

function describeState({ index, way, wordsOnly }: CodeSearchData): string[] {
  if (!index || way !== "words") return [];
  const only =
    wordsOnly === undefined ? [] : [`[Searched by words and names only. ${printableLine(wordsOnly)}]`];
  return [...only, ...describeProgress(index)];
}

function describeProgress({ files, indexed, outlined, outlinable, vectors }: IndexState): string[] {
  if (indexed < files)
    return [`[Indexed so far: ${indexed} of ${counted(files, "file")}. Search again later for the rest.]`];
  if (outlined < outlinable)
    return [`[Symbols indexed so far: ${outlined} of ${counted(outlinable, "file")}.]`];
  if (vectors?.isRunning)
    return [`[Searched by meaning so far: ${vectors.pieces - vectors.missing} of ${vectors.pieces} pieces.]`];
  return [];
}

/** A query: words to rank by, or text or a regular expression to find exactly. */
export type SearchQuery =
  | { readonly way: "words"; readonly words: string }
  | { readonly way: "literal" | "regex"; readonly pattern: string; readonly ignoreCase: boolean };

/** Parses a query: `"quoted"` is text, `/slashes/` or `/slashes/i` is a regular expression, all else is words. */
export function readQuery(query: string): SearchQuery {
  const plain = query.trim();
  const quoted = /^"(.+)"$/s.exec(plain)?.[1];
  if (quoted !== undefined) return { way: "literal", pattern: quoted, ignoreCase: false };
  const [, expression, flags] = /^\/(.+)\/(i?)$/s.exec(plain) ?? [];
  if (expression !== undefined) return { way: "regex", pattern: expression, ignoreCase: flags === "i" };
  return { way: "words", words: plain };
}
