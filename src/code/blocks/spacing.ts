import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { blankLinesBelow } from "../lines.ts";
import { spanOf } from "./block-text.ts";
import type { Snippet } from "./snippet.ts";

export type Separator = "," | ";";

interface FoundSeparator {
  readonly mark: Separator;
  readonly end: number;
}

export function separatorAfter(text: string, end: number): FoundSeparator | undefined {
  const found = /^[ \t]*(,|;;?)/.exec(text.slice(end, end + 200));
  return found ? { mark: found[1]![0] as Separator, end: end + found[0].length } : undefined;
}

/** Returns the separator after an element, or the one that the grammar counts as part of it. */
export function ownSeparator(text: string, start: number, end: number): FoundSeparator | undefined {
  const last = text[end - 1];
  const isOwn = end - start > 1 && (last === "," || last === ";");
  return isOwn ? { mark: last, end } : separatorAfter(text, end);
}

/** Returns whether new code needs no further semicolon, because it ends with one or with a brace. */
export function isClosed({ lines }: Snippet, mark: Separator): boolean {
  return mark === ";" && /[;}]$/.test(lines.at(-1)!);
}

export function blanksAfter(text: string, mark: Separator): string {
  return new RegExp(`${mark}([ \\t]*)\\S`).exec(text)?.[1] ?? " ";
}

export function withoutSeparator(
  snippet: Snippet,
  separator: { readonly mark: Separator } | undefined,
): Snippet {
  const last = snippet.lines.at(-1)!;
  if (separator === undefined || !last.endsWith(separator.mark) || last.trim() === separator.mark)
    return snippet;
  return { ...snippet, lines: [...snippet.lines.slice(0, -1), last.slice(0, -1).trimEnd()] };
}

/** Returns the end of an element's line if only its separator and a comment follow; else undefined. */
export function elementLineEnd(text: string, end: number): number | undefined {
  const from = separatorAfter(text, end)?.end ?? end;
  const rest = /^[^\n]*/.exec(text.slice(from))![0].replace(/\r$/, "");
  return rest.trim() === "" || comment.test(rest.trim()) ? from + rest.length : undefined;
}

/** Matches a comment after a whole declaration. Rust attributes are excluded. */
const comment =
  /^(?:\/\/|--(?!>)|#(?![![])|%|;;|\/\*(?:(?!\*\/).)*\*\/$|<!--(?:(?!-->).)*-->$|\(\*(?:(?!\*\)).)*\*\)$)/;

export function siblingsOf({ symbols }: Outline, parent: number | undefined): readonly CodeSymbol[] {
  return symbols.filter((symbol) => symbol.parent === parent).sort((one, other) => one.start - other.start);
}

/** Returns the number of blank lines next to `anchor`: as many as between its nearest similar siblings. */
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
  // A whole JSON file is one value, so its members have the same gaps.
  const isLoose = holder === undefined ? !outline.language.startsWith("json") : !close.has(holder.kind);
  for (const { before, after } of isLoose ? alike : [...alike, ...pairs]) {
    const gap = gapBetween(text, before, after);
    if (gap !== undefined) return gap;
  }
  if (!wantsLong || !isLoose) return Math.min(blankLinesBefore, 1);
  return outline.language === "python" && holder === undefined ? 2 : 1;
}

const isAbove = /^\s*(?:@|#|\/\/|\/\*|\*|--|\[|$)/;

/** Kinds whose long and short members have the same gaps. */
const close: ReadonlySet<string> = new Set(
  "constant variable field property key enum variant function method constructor".split(" "),
);

/** Kinds that contain values instead of declarations. */
export const valueHolders: ReadonlySet<string> = new Set(
  "constant variable field property key enum variant".split(" "),
);

/** Counts the blank lines between two symbols; undefined if other text is between or they share a line. */
function gapBetween(text: string, before: CodeSymbol, after: CodeSymbol): number | undefined {
  const { end } = spanOf(text, before);
  if (after.start < end) return undefined;
  const between = text.slice(end, after.start);
  const rest = between.replace(/^[ \t]*[,;]?[ \t]*/, "");
  if (rest.trim() !== "" || !rest.includes("\n")) return undefined;
  return Math.min(blankLinesBelow(text, after.start - rest.length), 3);
}
