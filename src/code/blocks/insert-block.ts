import type { CodeSymbol, Outline } from "../../contract/code.ts";
import type { BlockChange } from "./block-change.ts";
import { gapFor, siblingsOf } from "./gaps.ts";
import { indentationLevel } from "./indentation-level.ts";
import { insertInside } from "./insert-inside.ts";
import {
  blankLinesAbove,
  blankLinesBelow,
  indentationAt,
  lineEndNear,
  lineStart,
  opensLine,
} from "./lines.ts";
import { spanOf } from "./replace-block.ts";
import { elementLineEnd, type Separator, separatorAfter, withoutSeparator } from "./separators.ts";
import { fitsOf, type Snippet } from "./snippet.ts";

export type Position = "before" | "after" | "inside_start" | "inside_end";

/** The ways to put new code beside a block, or into it, the likely one first. */
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

/** Where a sibling has a separator all have one; where it cannot be told both ways are tried. */
export function insertBeside(
  text: string,
  outline: Outline,
  symbol: CodeSymbol,
  position: "before" | "after",
  snippet: Snippet,
): readonly BlockChange[] {
  const siblings = siblingsOf(outline, symbol.parent);
  const known = separatorOf(text, symbol, siblings);
  const marks: readonly (Separator | undefined)[] = known === undefined ? [undefined, ","] : [known];
  return marks.flatMap((mark) => changesFor(text, outline, symbol, { position, siblings, mark }, snippet));
}

interface Beside {
  readonly position: "before" | "after";
  readonly siblings: readonly CodeSymbol[];
  readonly mark: Separator | undefined;
}

function changesFor(
  text: string,
  outline: Outline,
  symbol: CodeSymbol,
  { position, siblings, mark }: Beside,
  given: Snippet,
): readonly BlockChange[] {
  const span = spanOf(text, symbol);
  const indentation = indentationAt(text, span.start);
  const snippet = mark === undefined ? given : withoutSeparator(given, { mark });
  const present = separatorAfter(text, span.end);
  const lacksOne = position === "after" && mark !== undefined && present === undefined;
  const lineEnd = lineEndNear(text, span.start);
  const closing = mark === undefined || lacksOne || isClosed(snippet, mark) ? "" : mark;
  const also = lacksOne ? { start: span.end, end: span.end, text: mark } : undefined;
  const fits = fitsOf(snippet, { indentation, level: indentationLevel(text) });
  const gap = gapFor(
    text,
    outline,
    siblings,
    siblings.indexOf(symbol) + (position === "after" ? 0.5 : -0.5),
    snippet,
  );
  const change = fits.map((fitted) => ({ snippet, fitted, lineEnd, also }));
  const isOwnLine = opensLine(text, span.start);
  if (position === "before") {
    if (!isOwnLine) {
      const tail =
        closing + (mark && snippet.lines.length === 1 ? blanksAfter(text, mark) : lineEnd + indentation);
      return change.map((each) => ({ ...each, start: span.start, end: span.start, indentation, tail }));
    }
    const at = lineStart(text, span.start);
    const missing = isFirst(text, outline, symbol, at) ? 0 : Math.max(0, gap - blankLinesAbove(text, at));
    const place = {
      start: at,
      end: at,
      indentation: "",
      lead: lineEnd.repeat(missing),
      tail: closing + lineEnd.repeat(1 + gap),
    };
    return change.map((each) => ({ ...each, ...place }));
  }
  const from = present?.end ?? span.end;
  const end = isOwnLine ? elementLineEnd(text, span.end) : undefined;
  if (end === undefined) {
    const isList = mark !== undefined && snippet.lines.length === 1;
    const rest = /^[ \t]*/.exec(text.slice(from))![0];
    const isLast = lacksOne || /^[ \t]*(?:[)\]}]|\r?\n|$)/.test(text.slice(from));
    const lead = isList ? blanksAfter(text, mark) : lineEnd;
    const tail = closing + (isList || isLast ? "" : lineEnd + indentation);
    const place = { start: from, end: isList || isLast ? from : from + rest.length, lead, tail };
    return change.map((each) => ({ ...each, ...place, indentation: isList ? indentation : "" }));
  }
  const isLast = isLastIn(text, outline, symbol, end);
  const missing = isLast ? 0 : Math.max(0, gap - blankLinesBelow(text, end));
  const place = {
    start: end,
    end,
    indentation: "",
    lead: lineEnd.repeat(1 + gap),
    tail: closing + lineEnd.repeat(missing),
  };
  return change.map((each) => ({ ...each, ...place }));
}

/** A block with braces needs no semicolon. */
function isClosed({ lines }: Snippet, mark: Separator): boolean {
  return mark === ";" && /[;}]$/.test(lines.at(-1)!);
}

function separatorOf(
  text: string,
  symbol: CodeSymbol,
  siblings: readonly CodeSymbol[],
): Separator | undefined {
  const index = siblings.indexOf(symbol);
  for (const each of [symbol, siblings[index - 1], siblings[index + 1]]) {
    const found = each && separatorAfter(text, spanOf(text, each).end);
    if (found) return found.mark;
  }
  return undefined;
}

/** The blanks that follow a separator elsewhere in the text. */
function blanksAfter(text: string, mark: Separator): string {
  return new RegExp(`${mark}([ \\t]*)\\S`).exec(text)?.[1] ?? " ";
}

function isFirst(text: string, { symbols }: Outline, { parent }: CodeSymbol, at: number): boolean {
  const from = (parent === undefined ? undefined : symbols[parent]!.inside?.start) ?? 0;
  return text.slice(Math.min(from, at), at).trim() === "";
}

function isLastIn(text: string, { symbols }: Outline, { parent }: CodeSymbol, at: number): boolean {
  const to = (parent === undefined ? undefined : symbols[parent]!.inside?.end) ?? text.length;
  return text.slice(at, Math.max(at, to)).trim() === "";
}
