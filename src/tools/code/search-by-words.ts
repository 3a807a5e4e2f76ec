import { bestLines } from "../../code/search/query.ts";
import type { IndexHit } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { decodeText } from "../../lib/encoding.ts";
import { showLine } from "../search/show-line.ts";
import type { CodeSearchData, ExcerptLine, FoundCode, SearchWanted } from "./found-code.ts";
import { patientIndex } from "./patient-index.ts";

/** The best pieces of code for a question. What is shown of them is read now, as any other tool would. */
export async function searchByWords(
  words: string,
  { kinds, language, path, limit }: SearchWanted,
  context: ToolContext,
): Promise<CodeSearchData> {
  const { signal } = context;
  const index = await patientIndex(context);
  const hits = await index.search({ words, kinds, language, path, limit: limit + 1 }, { signal });
  const results: FoundCode[] = [];
  for (const hit of hits.slice(0, limit)) {
    const found = await describe(hit, words, { lines: excerptLines(limit), context });
    if (found) results.push(found);
  }
  return { way: "words", results, limited: hits.length > limit, index: index.state };
}

/** More results leave less room for each. */
function excerptLines(limit: number): number {
  return limit <= 10 ? 5 : limit <= 25 ? 2 : 0;
}

/** Undefined when it is gone by now, or may not be read. */
async function describe(
  { path, firstLine, lastLine, symbol, why }: IndexHit,
  words: string,
  { lines, context }: { readonly lines: number; readonly context: ToolContext },
): Promise<FoundCode | undefined> {
  try {
    const excerpt = lines === 0 ? [] : await excerptOf(path, { firstLine, lastLine }, words, lines, context);
    const shown = symbol && {
      kind: symbol.kind,
      name: symbol.name,
      within: symbol.within,
      firstLine: symbol.firstLine,
      lastLine: symbol.lastLine,
      signature: symbol.signature,
    };
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
