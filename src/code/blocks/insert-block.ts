import type { CodeSymbol, Outline } from "../../contract/code.ts";
import {
  blankLinesAbove,
  blankLinesBelow,
  indentationAt,
  lineEnd,
  lineEndNear,
  lineStart,
  opensLine,
  type TextSpan,
} from "../lines.ts";
import { type BlockChange, type Splice, withReadings } from "./block-change.ts";
import { spanOf } from "./block-text.ts";
import { type InsertionTarget, indentationLevel, type Snippet, targetAt } from "./snippet.ts";
import {
  blanksAfter,
  elementLineEnd,
  gapFor,
  isClosed,
  ownSeparator,
  type Separator,
  siblingsOf,
  valueHolders,
  withoutSeparator,
} from "./spacing.ts";

export type Position = "before" | "after" | "inside_start" | "inside_end";

/** The ways to insert code beside a block or into it, the likely one first. None when it has no inside. */
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

/** Uses the separator of a sibling, but also tries without. */
function insertBeside(
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
  const target = targetAt(text, outline, start);
  return { start: at, end: at, snippet, target, reading: 0, isInline: true, lineEnd, ...around };
}

interface Beside {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly snippet: Snippet;
  readonly mark: Separator | undefined;
  readonly present: { readonly mark: Separator; readonly end: number } | undefined;
  readonly gap: number;
  readonly target: InsertionTarget;
  readonly lineEnd: string;
  /** The parent has nothing before the block, or after it. */
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
    target: targetAt(text, outline, start),
    lineEnd: lineEndNear(text, start),
    isAtBorder: (at) =>
      position === "before"
        ? isBlank(Math.min(inside?.start ?? 0, at), at)
        : isBlank(at, inside?.end ?? text.length),
  };
}

function changeBefore(beside: Beside): Omit<BlockChange, "reading"> {
  const { text, start, snippet, mark, gap, target, lineEnd } = beside;
  const { indentation } = target;
  const closing = mark === undefined || isClosed(snippet, mark) ? "" : mark;
  const change = { snippet, target, lineEnd };
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
  const { text, start, end, snippet, mark, present, gap, target, lineEnd } = beside;
  const { indentation } = target;
  const lacksOne = mark !== undefined && present === undefined && !(mark === ";" && text[end - 1] === "}");
  const also = lacksOne ? { start: end, end, text: mark } : undefined;
  const closing = mark === undefined || lacksOne || isClosed(snippet, mark) ? "" : mark;
  const change = { snippet, target, lineEnd, also };
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
    // On separate lines, a semicolon of one element says nothing about the others.
    if (found && (found.mark === "," || isInline)) return found.mark;
  }
  return undefined;
}

/** The ways to insert code at the start or end of a block's inside. */
function insertInside(
  text: string,
  outline: Outline,
  symbol: CodeSymbol,
  position: "inside_start" | "inside_end",
  snippet: Snippet,
): readonly BlockChange[] {
  const { inside } = symbol;
  if (inside === undefined) return [];
  const within = text.slice(inside.start, inside.end);
  if (within.trim() === "") return insertAlone(text, outline, symbol, inside, snippet);
  const preamble = endOfPreamble(text, outline.language, inside);
  const first = preamble + /^\s*/.exec(text.slice(preamble, inside.end))![0].length;
  const last = inside.start + within.trimEnd().length;
  const children = siblingsOf(outline, outline.symbols.indexOf(symbol));
  const isStart = position === "inside_start" && first < inside.end;
  const beside = isStart
    ? children.find(({ start }) => start === first)
    : children.findLast((child) => endsAt(text, child, last));
  if (beside) return insertBeside(text, outline, beside, isStart ? "before" : "after", snippet);
  const target = { ...targetIn(text, outline, symbol, inside, snippet), at: isStart ? first : last };
  // A body on the line of its head without brackets has room for nothing else.
  if (!target.isOpen && !target.isHeld) return [];
  // Values mostly have commas between them.
  const marks = valueHolders.has(symbol.kind) ? [true, false] : [false, true];
  return marks.flatMap((isList) => (isStart ? insertFirst : insertLast)(text, target, snippet, isList));
}

function endsAt(text: string, child: CodeSymbol, last: number): boolean {
  const { end } = spanOf(text, child);
  return end <= last && (elementLineEnd(text, end) ?? end) >= last;
}

interface Inside {
  readonly at: number;
  readonly start: number;
  readonly end: number;
  readonly outer: string;
  readonly target: InsertionTarget;
  readonly lineEnd: string;
  /** The existing content begins on its own line. */
  readonly isOpen: boolean;
  /** A bracket, `end` or a tag closes it. */
  readonly isHeld: boolean;
}

function targetIn(
  text: string,
  outline: Outline,
  symbol: CodeSymbol,
  { start, end }: TextSpan,
  snippet: Snippet,
): Omit<Inside, "at"> {
  const outer = indentationAt(text, symbol.start);
  const firstInk = start + /^\s*/.exec(text.slice(start, end))![0].length;
  const isOpen = firstInk < end && opensLine(text, firstInk);
  const isHeld = /^\s*(?:[)\]}]|<\/|(?:end|fi|done|esac)\b)/.test(text.slice(end, symbol.end));
  const deeper = outer + (indentationLevel(text) || indentationLevel(snippet.lines.join("\n")) || "  ");
  const indentation = isOpen ? indentationAt(text, firstInk) : isHeld ? deeper : outer;
  const target = targetAt(text, outline, start, indentation);
  return { start, end, outer, target, lineEnd: lineEndNear(text, symbol.start), isOpen, isHeld };
}

/** Opens `{}`; a block without brackets gets a line below. */
function insertAlone(
  text: string,
  outline: Outline,
  symbol: CodeSymbol,
  inside: TextSpan,
  snippet: Snippet,
): readonly BlockChange[] {
  const { start, end, outer, target, lineEnd, isHeld } = targetIn(text, outline, symbol, inside, snippet);
  const lead = isHeld || start === 0 ? lineEnd : lineEnd.repeat(2);
  const tail = isHeld ? lineEnd + outer : "";
  return withReadings({
    start,
    end: isHeld ? end : start,
    lead,
    tail,
    snippet,
    target,
    lineEnd,
    isInline: false,
  });
}

function insertFirst(text: string, inside: Inside, given: Snippet, isList: boolean): readonly BlockChange[] {
  const { at, start, target, lineEnd, isOpen } = inside;
  const snippet = isList ? withoutSeparator(given, { mark: "," }) : given;
  const closing = isList ? "," : "";
  const change = { snippet, target, lineEnd, isInline: false };
  if (!isOpen)
    return withReadings({
      ...change,
      start,
      end: at,
      lead: lineEnd,
      tail: closing + lineEnd + target.indentation,
    });
  const from = lineStart(text, at);
  return withReadings({ ...change, start: from, end: from, tail: closing + lineEnd });
}

function insertLast(text: string, inside: Inside, given: Snippet, isList: boolean): readonly BlockChange[] {
  const { at, end, outer, target, lineEnd: newLine, isOpen, isHeld } = inside;
  const hasComma = text[at - 1] === ",";
  const snippet = isList ? withoutSeparator(given, { mark: "," }) : given;
  const also: Splice | undefined = isList && !hasComma ? { start: at, end: at, text: "," } : undefined;
  const closing = isList && hasComma ? "," : "";
  const change = { snippet, target, lineEnd: newLine, isInline: false, lead: newLine, also };
  const over = lineEnd(text, at);
  if ((isOpen && over <= end) || !isHeld)
    return withReadings({ ...change, start: over, end: over, tail: closing });
  return withReadings({ ...change, start: at, end, tail: closing + newLine + outer });
}

/** Where the part that must come first in a block ends: inner attributes and doc comments, directives, docstrings. */
function endOfPreamble(text: string, language: string, inside: TextSpan): number {
  const within = text.slice(inside.start, inside.end);
  const found = preambles.get(language)?.exec(within);
  return inside.start + (found?.[0].length ?? 0);
}

const directive = /^(?:\s*(["'])use [a-z ]+\1;?[ \t]*(?=\r?\n|$))+/;
const docstring =
  /^\s*[rRuUbB]?(?:"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')[ \t]*(?=\r?\n|$)/;

const preambles: ReadonlyMap<string, RegExp> = new Map([
  ["python", docstring],
  ["rust", /^(?:\s*(?:\/\/![^\n]*|#!\[[^\]]*\]))+/],
  ["javascript", directive],
  ["typescript", directive],
  ["tsx", directive],
]);
