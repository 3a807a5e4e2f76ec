import type { LineSlice } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { Breath } from "../../lib/breath.ts";
import { decodeText } from "../../lib/encoding.ts";
import { type SearchableText, toSearchableText } from "../../lib/searchable-text.ts";
import { withinTime } from "../../lib/time-bound.ts";
import type { GrepRequest } from "./grep-request.ts";
import type { GrepResults } from "./grep-results.ts";
import type { ShownLine } from "./hits.ts";
import { scanText } from "./scan-text.ts";
import { searchFiles } from "./search-files.ts";
import { showLine } from "./show-line.ts";

const pieceBytes = 4 * 1024 * 1024;
const pieceMs = 2000;

/** A search across lines needs the whole text at once. */
const maxMultilineMegabytes = 64;

/**
 * Searches a file of any size in process and in pieces. Of a single line longer than a piece, its first piece. Throws
 * `too-large` when a search across lines would take too much at once.
 */
export async function scanLargeFile(
  path: string,
  request: GrepRequest,
  results: GrepResults,
  { environment, signal }: ToolContext,
): Promise<void> {
  if (request.multiline) {
    const maxBytes = maxMultilineMegabytes * 1024 * 1024;
    const { bytes } = await environment.readFile(path, { maxBytes, signal }).catch((error) => {
      throw error instanceof ToolError && error.code === "too-large" ? tooLarge(path) : error;
    });
    return searchFiles([{ path, bytes }], request, results);
  }
  const breath = new Breath(signal);
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
    if (slice.cutBytes > 0) results.addPartlySearched(path);
    first += slice.lines;
    if (breath.isDue) await breath.take();
  }
  results.add({ path, count, lines: await withContext(path, lines, request, environment), hasMore });
}

const allLines = Number.MAX_SAFE_INTEGER;

function tooLarge(path: string): ToolError {
  const message = `${path} has more than ${maxMultilineMegabytes} MB, too much to search across lines`;
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

/** The neighbours of matching lines, read where they are. */
async function withContext(
  path: string,
  matches: readonly ShownLine[],
  { before, after }: GrepRequest,
  environment: ToolContext["environment"],
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
