import type { CodeSymbol, Outline, SymbolKind } from "../../contract/code.ts";
import { blankLinesBelow } from "./lines.ts";
import { spanOf } from "./replace-block.ts";
import type { Snippet } from "./snippet.ts";

/** What lies in the same holder, in the order of the file. */
export function siblingsOf({ symbols }: Outline, parent: number | undefined): readonly CodeSymbol[] {
  return symbols.filter((symbol) => symbol.parent === parent).sort((one, other) => one.start - other.start);
}

/**
 * How many blank lines there are around new lines: as many as between others like them, the nearest first. `anchor` is
 * the sibling beside which they stand.
 */
export function gapFor(
  text: string,
  outline: Outline,
  anchor: CodeSymbol,
  siblings: readonly CodeSymbol[],
  { lines, blankLinesBefore }: Snippet,
): number {
  const isLong = (symbol: CodeSymbol) =>
    text.slice(symbol.declarationStart, spanOf(text, symbol).end).includes("\n");
  const wantsLong = isLong(anchor) || lines.length - lines.findIndex((line) => !isAbove.test(line)) > 1;
  const near = siblings.indexOf(anchor);
  const pairs = siblings
    .slice(1)
    .map((after, index) => ({ before: siblings[index]!, after, distance: Math.abs(index + 0.5 - near) }))
    .sort((one, other) => one.distance - other.distance);
  const alike = pairs.filter(({ before, after }) => (isLong(before) || isLong(after)) === wantsLong);
  const holder = anchor.parent === undefined ? undefined : outline.symbols[anchor.parent];
  // The whole of a JSON file is one value.
  const isLoose = holder === undefined ? !outline.language.startsWith("json") : !close.has(holder.kind);
  for (const { before, after } of isLoose ? alike : [...alike, ...pairs]) {
    const gap = gapBetween(text, before, after);
    if (gap !== undefined) return gap;
  }
  if (!wantsLong || !isLoose) return Math.min(blankLinesBefore, 1);
  return outline.language === "python" && holder === undefined ? 2 : 1;
}

/** A line that belongs to what stands below it. */
const isAbove = /^\s*(?:@|#|\/\/|\/\*|\*|--|\[|$)/;

/** In these long and short ones stand as close to each other. */
const close: ReadonlySet<SymbolKind> = new Set<SymbolKind>([
  "constant",
  "variable",
  "field",
  "property",
  "key",
  "enum",
  "variant",
  "function",
  "method",
  "constructor",
]);

/** Kinds that hold values rather than declarations. */
export const valueHolders: ReadonlySet<SymbolKind> = new Set<SymbolKind>([
  "constant",
  "variable",
  "field",
  "property",
  "key",
  "enum",
  "variant",
]);

/** Undefined when something else stands between them, or they share a line. */
function gapBetween(text: string, before: CodeSymbol, after: CodeSymbol): number | undefined {
  const { end } = spanOf(text, before);
  if (after.start < end) return undefined;
  const between = text.slice(end, after.start);
  const rest = between.replace(/^[ \t]*[,;]?[ \t]*/, "");
  if (rest.trim() !== "" || !rest.includes("\n")) return undefined;
  return Math.min(blankLinesBelow(text, after.start - rest.length), 3);
}
