import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { type BlockChange, withReadings } from "./block-change.ts";
import { gapFor, siblingsOf } from "./gaps.ts";
import { insertInside } from "./insert-inside.ts";
import { blankLinesAbove, blankLinesBelow, lineEndNear, lineStart, opensLine } from "./lines.ts";
import { placeAt } from "./place-at.ts";
import { spanOf } from "./replace-block.ts";
import {
  blanksAfter,
  elementLineEnd,
  isClosed,
  ownSeparator,
  type Separator,
  withoutSeparator,
} from "./separators.ts";
import type { Place, Snippet } from "./snippet.ts";

export type Position = "before" | "after" | "inside_start" | "inside_end";

/** The ways to put new code beside a block, or into it, the likely one first. None when it has no inside. */
export function insertBlock(
  text: string,
  outline: Outline,
  symbol: CodeSymbol,
  position: Position,
  snippet: Snippet,
): readonly BlockChange[] {
  if (position === "before" || position === "after")
    return insertBeside(text, outline, symbol, position, snippet);
  return insertInside(text, outline, symbol, position, snippet);
}

/** Where a sibling has a separator all should have one; but both ways are tried. */
export function insertBeside(
  text: string,
  outline: Outline,
  symbol: CodeSymbol,
  position: "before" | "after",
  snippet: Snippet,
): readonly BlockChange[] {
  const siblings = siblingsOf(outline, symbol.parent);
  const known = separatorAround(text, symbol, siblings);
  const marks: readonly (Separator | undefined)[] =
    known === undefined ? [undefined, ","] : [known, undefined];
  const changes = marks.flatMap((mark) => {
    const beside = besideOf(text, outline, symbol, siblings, position, mark, snippet);
    return withReadings(position === "before" ? changeBefore(beside) : changeAfter(beside));
  });
  return symbol.kind === "variant"
    ? [...changes, alternative(text, outline, symbol, position, snippet)]
    : changes;
}

/** With a bar, as between the variants of functional languages. */
function alternative(
  text: string,
  outline: Outline,
  symbol: CodeSymbol,
  position: "before" | "after",
  snippet: Snippet,
): BlockChange {
  const { start, end } = spanOf(text, symbol);
  const at = position === "before" ? start : end;
  const lineEnd = lineEndNear(text, start);
  const line = text.slice(lineStart(text, start), start);
  const between = /^\s*\|\s*$/.test(line) ? lineEnd + line : " | ";
  const around = position === "before" ? { tail: between } : { lead: between };
  const place = placeAt(text, outline, start);
  return { start: at, end: at, snippet, place, reading: 0, isInline: true, lineEnd, ...around };
}

/** All that is known of the place beside a block. */
interface Beside {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly snippet: Snippet;
  readonly mark: Separator | undefined;
  readonly present: { readonly mark: Separator; readonly end: number } | undefined;
  /** Blank lines between such blocks. */
  readonly gap: number;
  readonly place: Place;
  readonly lineEnd: string;
  /** What holds the block holds nothing before it, or after it. */
  readonly isAtBorder: (at: number) => boolean;
}

function besideOf(
  text: string,
  outline: Outline,
  symbol: CodeSymbol,
  siblings: readonly CodeSymbol[],
  position: "before" | "after",
  mark: Separator | undefined,
  given: Snippet,
): Beside {
  const { start, end } = spanOf(text, symbol);
  const snippet = mark === undefined ? given : withoutSeparator(given, { mark });
  const inside = symbol.parent === undefined ? undefined : outline.symbols[symbol.parent]!.inside;
  const isBlank = (from: number, to: number) => text.slice(from, Math.max(from, to)).trim() === "";
  return {
    text,
    start,
    end,
    snippet,
    mark,
    present: ownSeparator(text, start, end),
    gap: gapFor(text, outline, symbol, siblings, snippet),
    place: placeAt(text, outline, start),
    lineEnd: lineEndNear(text, start),
    isAtBorder: (at) =>
      position === "before"
        ? isBlank(Math.min(inside?.start ?? 0, at), at)
        : isBlank(at, inside?.end ?? text.length),
  };
}

function changeBefore(beside: Beside): Omit<BlockChange, "reading"> {
  const { text, start, snippet, mark, gap, place, lineEnd } = beside;
  const { indentation } = place;
  const closing = mark === undefined || isClosed(snippet, mark) ? "" : mark;
  const change = { snippet, place, lineEnd };
  if (!opensLine(text, start)) {
    const isList = mark !== undefined && snippet.lines.length === 1;
    const tail = closing + (isList ? blanksAfter(text, mark) : lineEnd + indentation);
    return { ...change, start, end: start, isInline: true, tail };
  }
  const at = lineStart(text, start);
  const missing = beside.isAtBorder(at) ? 0 : Math.max(0, gap - blankLinesAbove(text, at));
  const tail = closing + lineEnd.repeat(1 + gap);
  return { ...change, start: at, end: at, isInline: false, lead: lineEnd.repeat(missing), tail };
}

function changeAfter(beside: Beside): Omit<BlockChange, "reading"> {
  const { text, start, end, snippet, mark, present, gap, place, lineEnd } = beside;
  const { indentation } = place;
  const lacksOne = mark !== undefined && present === undefined && !(mark === ";" && text[end - 1] === "}");
  const also = lacksOne ? { start: end, end, text: mark } : undefined;
  const closing = mark === undefined || lacksOne || isClosed(snippet, mark) ? "" : mark;
  const change = { snippet, place, lineEnd, also };
  const lineOver = opensLine(text, start) ? elementLineEnd(text, end) : undefined;
  if (lineOver === undefined) {
    const from = present?.end ?? end;
    const isLast = lacksOne || /^[ \t]*(?:[)\]}]|\r?\n|$)/.test(text.slice(from));
    if (mark !== undefined && snippet.lines.length === 1)
      return {
        ...change,
        start: from,
        end: from,
        isInline: true,
        lead: blanksAfter(text, mark),
        tail: closing,
      };
    const blanks = isLast ? 0 : /^[ \t]*/.exec(text.slice(from))![0].length;
    const tail = closing + (isLast ? "" : lineEnd + indentation);
    return { ...change, start: from, end: from + blanks, isInline: false, lead: lineEnd, tail };
  }
  const missing = beside.isAtBorder(lineOver) ? 0 : Math.max(0, gap - blankLinesBelow(text, lineOver));
  const tail = closing + lineEnd.repeat(missing);
  return { ...change, start: lineOver, end: lineOver, isInline: false, lead: lineEnd.repeat(1 + gap), tail };
}

function separatorAround(
  text: string,
  symbol: CodeSymbol,
  siblings: readonly CodeSymbol[],
): Separator | undefined {
  const index = siblings.indexOf(symbol);
  const isInline = !opensLine(text, symbol.start);
  for (const each of [symbol, siblings[index - 1], siblings[index + 1]]) {
    const found = each && ownSeparator(text, each.start, spanOf(text, each).end);
    // On lines of their own a semicolon is a matter of each one.
    if (found && (found.mark === "," || isInline)) return found.mark;
  }
  return undefined;
}
