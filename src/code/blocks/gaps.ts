import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { blankLinesBelow } from "./lines.ts";
import { spanOf } from "./replace-block.ts";
import type { Snippet } from "./snippet.ts";

/** What lies in the same holder, in the order of the file. */
export function siblingsOf({ symbols }: Outline, parent: number | undefined): readonly CodeSymbol[] {
  return symbols.filter((symbol) => symbol.parent === parent).sort((one, other) => one.start - other.start);
}

/**
 * How many blank lines there are around new lines: as many as between others like them, the nearest first. `near` is
 * the number of the sibling beside which they stand.
 */
export function gapFor(
  text: string,
  outline: Outline,
  siblings: readonly CodeSymbol[],
  near: number,
  { lines, blankLinesBefore }: Snippet,
): number {
  const isLong = (symbol: CodeSymbol) => symbol.lastLine > symbol.firstLine;
  const pairs = siblings
    .slice(1)
    .map((symbol, index) => ({
      before: siblings[index]!,
      after: symbol,
      distance: Math.abs(index + 0.5 - near),
    }))
    .sort((one, other) => one.distance - other.distance);
  for (const { before, after } of pairs) {
    if ((isLong(before) || isLong(after)) !== lines.length > 1) continue;
    const gap = gapBetween(text, before, after);
    if (gap !== undefined) return gap;
  }
  if (lines.length === 1) return Math.min(blankLinesBefore, 1);
  return outline.language === "python" && siblings.some(({ parent }) => parent === undefined) ? 2 : 1;
}

/** Undefined when something else stands between them, or they share a line. */
function gapBetween(text: string, before: CodeSymbol, after: CodeSymbol): number | undefined {
  const { end } = spanOf(text, before);
  if (after.start < end) return undefined;
  const between = text.slice(end, after.start);
  const rest = between.replace(/^[ \t]*[,;]?[ \t]*/, "");
  if (rest.trim() !== "" || !rest.includes("\n")) return undefined;
  return Math.min(blankLinesBelow(text, after.start - rest.length), 3);
}
