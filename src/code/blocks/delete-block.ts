import type { CodeSymbol, Outline } from "../../contract/code.ts";
import {
  blankLinesAbove,
  blankLinesBelow,
  blanksOf,
  endOfText,
  lineEnd,
  lineStart,
  opensLine,
} from "../lines.ts";
import type { Splice } from "./block-change.ts";
import { spanOf } from "./block-text.ts";
import { elementLineEnd, separatorAfter, siblingsOf } from "./spacing.ts";

/** Returns the ways to delete a block with its separator and blank lines, most likely first. */
export function deleteBlock(
  text: string,
  outline: Outline,
  symbol: CodeSymbol,
): readonly (readonly Splice[])[] {
  const { start, end } = spanOf(text, symbol);
  const comma = separatorAfter(text, end)?.mark === "," ? undefined : commaBefore(text, start);
  const whole = opensLine(text, start) ? elementLineEnd(text, end) : undefined;
  const taken =
    whole === undefined
      ? inlinePart(text, start, end, comma !== undefined)
      : wholeLines(text, outline, symbol, start, whole);
  const others = withLeadingMark(text, start, end);
  if (comma === undefined) return [[taken], ...others];
  // A separator before the block on the same line is deleted with the block.
  const isJoined = /^[ \t]*$/.test(text.slice(comma + 1, taken.start));
  const without = isJoined
    ? [{ ...taken, start: comma }]
    : [{ start: comma, end: comma + 1, text: "" }, taken];
  const isList = siblingsOf(outline, symbol.parent).some((sibling) => spanOf(text, sibling).end === comma);
  return isList ? [without, [taken], ...others] : [[taken], without, ...others];
}

/** Returns the deletions for lists whose lines begin with the separator: `  | Leaf`, `  , age :: Int`. */
function withLeadingMark(text: string, start: number, end: number): readonly (readonly Splice[])[] {
  const before = /\s*[|,]\s*$/.exec(text.slice(Math.max(0, start - 500), start))?.[0].length;
  const after = /^\s*[|,][ \t]*/.exec(text.slice(end, end + 500))?.[0].length;
  return [
    ...(before === undefined ? [] : [[{ start: start - before, end, text: "" }]]),
    ...(after === undefined ? [] : [[{ start, end: end + after, text: "" }]]),
  ];
}

function commaBefore(text: string, start: number): number | undefined {
  const at = text.slice(0, start).trimEnd().length - 1;
  return text[at] === "," ? at : undefined;
}

/** Deletes a part of a line. A semicolon after the last element ends the whole list, so it stays. */
function inlinePart(text: string, start: number, end: number, isLastInList: boolean): Splice {
  const from = isLastInList ? end : (separatorAfter(text, end)?.end ?? end);
  const blanks = blanksOf(text.slice(from)).length;
  const isLast = from + blanks === lineEnd(text, from) || ")]};".includes(text[from + blanks]!);
  if (!isLast) return { start, end: from + blanks, text: "" };
  if (opensLine(text, start)) return { start, end: from, text: "" };
  return { start: endOfText(text, start, lineStart(text, start)), end: from, text: "" };
}

function wholeLines(text: string, outline: Outline, symbol: CodeSymbol, start: number, end: number): Splice {
  const first = lineStart(text, start);
  const next = text.indexOf("\n", end) + 1 || text.length;
  const holder = symbol.parent === undefined ? undefined : outline.symbols[symbol.parent]!;
  const { start: from, end: to } = holder?.inside ?? { start: 0, end: text.length };
  const isFirst = text.slice(Math.min(from, first), first).trim() === "";
  const isLast = text.slice(next, Math.max(to, next)).trim() === "";
  const above = blankLinesAbove(text, first);
  const below = blankLinesBelow(text, end);
  if (isLast && next === text.length && !text.endsWith("\n"))
    return { start: beforeLines(text, first, above + 1), end: text.length, text: "" };
  if (isLast) return { start: linesAbove(text, first, above), end: next, text: "" };
  return { start: first, end: linesBelow(text, next, isFirst ? below : Math.min(above, below)), text: "" };
}

function linesAbove(text: string, first: number, count: number): number {
  let start = first;
  for (let line = 0; line < count; line += 1) start = lineStart(text, start - 1);
  return start;
}

/** Like `linesAbove`, with the line end before them, so that a text without a final line end gets none. */
function beforeLines(text: string, first: number, count: number): number {
  const start = linesAbove(text, first, count - 1);
  if (start === 0) return 0;
  return text[start - 2] === "\r" ? start - 2 : start - 1;
}

function linesBelow(text: string, next: number, count: number): number {
  let end = next;
  for (let line = 0; line < count; line += 1) end = text.indexOf("\n", end) + 1 || text.length;
  return end;
}
