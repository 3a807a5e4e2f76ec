import type { CodeSymbol, Outline } from "../../contract/code.ts";
import {
  blankLinesAbove,
  blankLinesBelow,
  blanksOf,
  indentationAt,
  lineEnd,
  lineEndNear,
  lineStart,
  opensLine,
  startOfText,
  type TextSpan,
} from "../lines.ts";
import { type BlockChange, withReadings } from "./block-change.ts";
import { spanOf } from "./block-text.ts";
import { indentationLevel, type Snippet, targetAt } from "./snippet.ts";
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

type Position = "before" | "after" | "inside_start" | "inside_end";

interface Insertion {
  readonly text: string;
  readonly outline: Outline;
  readonly symbol: CodeSymbol;
  readonly position: Position;
  readonly snippet: Snippet;
}

/** Returns the ways to insert code next to a block or into it, most likely first; none without an inside. */
export function insertBlock(insertion: Insertion): readonly BlockChange[] {
  const { position } = insertion;
  if (position === "before" || position === "after") return insertNextTo(insertion);
  return insertInside(insertion);
}

function insertNextTo(insertion: Insertion): readonly BlockChange[] {
  const { outline, symbol, position } = insertion;
  const siblings = siblingsOf(outline, symbol.parent);
  const known = separatorAround(insertion, siblings);
  const marks = known === undefined ? ([undefined, ","] as const) : [known, undefined];
  const changes = marks.flatMap((mark) => {
    const neighbourhood = neighbourhoodOf(insertion, siblings, mark);
    return withReadings(position === "before" ? changeBefore(neighbourhood) : changeAfter(neighbourhood));
  });
  return symbol.kind === "variant" ? [...changes, alternative(insertion)] : changes;
}

/** Separates with a bar, as between the variants of functional languages. */
function alternative({ text, outline, symbol, position, snippet }: Insertion): BlockChange {
  const { start, end } = spanOf(text, symbol);
  const at = position === "before" ? start : end;
  const lineEnd = lineEndNear(text, start);
  const line = text.slice(lineStart(text, start), start);
  const between = /^\s*\|\s*$/.test(line) ? lineEnd + line : " | ";
  const around = position === "before" ? { tail: between } : { lead: between };
  const target = targetAt(text, outline, start);
  return { start: at, end: at, snippet, target, reading: 0, isInline: true, lineEnd, ...around };
}

type Neighbourhood = ReturnType<typeof neighbourhoodOf>;

function neighbourhoodOf(insertion: Insertion, siblings: readonly CodeSymbol[], mark: Separator | undefined) {
  const { text, outline, symbol, position } = insertion;
  const { start, end } = spanOf(text, symbol);
  const snippet = mark === undefined ? insertion.snippet : withoutSeparator(insertion.snippet, { mark });
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
    /** Returns whether the parent has nothing before or after the block. */
    isAtBorder: (at: number) =>
      position === "before"
        ? isBlank(Math.min(inside?.start ?? 0, at), at)
        : isBlank(at, inside?.end ?? text.length),
  };
}

function changeBefore(neighbourhood: Neighbourhood): Omit<BlockChange, "reading"> {
  const { text, start, snippet, mark, gap, target, lineEnd } = neighbourhood;
  const closing = mark === undefined || isClosed(snippet, mark) ? "" : mark;
  const change = { snippet, target, lineEnd };
  if (!opensLine(text, start)) {
    const isList = mark !== undefined && snippet.lines.length === 1;
    const tail = closing + (isList ? blanksAfter(text, mark) : lineEnd + target.indentation);
    return { ...change, start, end: start, isInline: true, tail };
  }
  const at = lineStart(text, start);
  const missing = neighbourhood.isAtBorder(at) ? 0 : Math.max(0, gap - blankLinesAbove(text, at));
  const tail = closing + lineEnd.repeat(1 + gap);
  return { ...change, start: at, end: at, isInline: false, lead: lineEnd.repeat(missing), tail };
}

function changeAfter(neighbourhood: Neighbourhood): Omit<BlockChange, "reading"> {
  const { text, start, end, snippet, mark, present, gap, target, lineEnd } = neighbourhood;
  const lacksOne = mark !== undefined && present === undefined && !(mark === ";" && text[end - 1] === "}");
  const also = lacksOne ? { start: end, end, text: mark } : undefined;
  const closing = mark === undefined || lacksOne || isClosed(snippet, mark) ? "" : mark;
  const change = { snippet, target, lineEnd, also };
  const lineOver = opensLine(text, start) ? elementLineEnd(text, end) : undefined;
  if (lineOver === undefined) {
    const from = present?.end ?? end;
    const isLast = lacksOne || /^[ \t]*(?:[)\]}]|\r?\n|$)/.test(text.slice(from));
    if (mark !== undefined && snippet.lines.length === 1) {
      const lead = blanksAfter(text, mark);
      return { ...change, start: from, end: from, isInline: true, lead, tail: closing };
    }
    const blanks = isLast ? 0 : blanksOf(text.slice(from)).length;
    const tail = closing + (isLast ? "" : lineEnd + target.indentation);
    return { ...change, start: from, end: from + blanks, isInline: false, lead: lineEnd, tail };
  }
  const missing = neighbourhood.isAtBorder(lineOver) ? 0 : Math.max(0, gap - blankLinesBelow(text, lineOver));
  const tail = closing + lineEnd.repeat(missing);
  return { ...change, start: lineOver, end: lineOver, isInline: false, lead: lineEnd.repeat(1 + gap), tail };
}

function separatorAround(
  { text, symbol }: Insertion,
  siblings: readonly CodeSymbol[],
): Separator | undefined {
  const index = siblings.indexOf(symbol);
  const isInline = !opensLine(text, symbol.start);
  for (const each of [symbol, siblings[index - 1], siblings[index + 1]]) {
    const found = each && ownSeparator(text, each.start, spanOf(text, each).end);
    // On separate lines, a semicolon of one element does not mean that the others have one.
    if (found && (found.mark === "," || isInline)) return found.mark;
  }
  return undefined;
}

function insertInside(insertion: Insertion): readonly BlockChange[] {
  const { text, outline, symbol, position, snippet } = insertion;
  const { inside } = symbol;
  if (inside === undefined) return [];
  const within = text.slice(inside.start, inside.end);
  if (within.trim() === "") return insertAlone(insertion, inside);
  const preamble = preambles.get(outline.language)?.exec(within)?.[0].length ?? 0;
  const first = startOfText(text, inside.start + preamble, inside.end);
  const last = inside.start + within.trimEnd().length;
  const children = siblingsOf(outline, outline.symbols.indexOf(symbol));
  const isStart = position === "inside_start" && first < inside.end;
  const neighbour = isStart
    ? children.find(({ start }) => start === first)
    : children.findLast((child) => endsAt(text, child, last));
  if (neighbour)
    return insertNextTo({ ...insertion, symbol: neighbour, position: isStart ? "before" : "after" });
  const target = { ...targetIn(insertion, inside), at: isStart ? first : last };
  // A body without brackets on the line of its head cannot contain anything else.
  if (!target.isOpen && !target.isEnclosed) return [];
  // Values are usually separated by commas, so those variants come first.
  const marks = valueHolders.has(symbol.kind) ? [true, false] : [false, true];
  return marks.flatMap((isList) => (isStart ? insertFirst : insertLast)(text, target, snippet, isList));
}

function endsAt(text: string, child: CodeSymbol, last: number): boolean {
  const { end } = spanOf(text, child);
  return end <= last && (elementLineEnd(text, end) ?? end) >= last;
}

type Inside = ReturnType<typeof targetIn> & { readonly at: number };

function targetIn({ text, outline, symbol, snippet }: Insertion, { start, end }: TextSpan) {
  const outer = indentationAt(text, symbol.start);
  const first = startOfText(text, start, end);
  /** Whether the existing content begins on its own line. */
  const isOpen = first < end && opensLine(text, first);
  /** Whether a bracket, `end` or a tag closes the block. */
  const isEnclosed = /^\s*(?:[)\]}]|<\/|(?:end|fi|done|esac)\b)/.test(text.slice(end, symbol.end));
  const deeper = outer + (indentationLevel(text) || indentationLevel(snippet.lines.join("\n")) || "  ");
  const indentation = isOpen ? indentationAt(text, first) : isEnclosed ? deeper : outer;
  const target = targetAt(text, outline, start, indentation);
  return { start, end, outer, target, lineEnd: lineEndNear(text, symbol.start), isOpen, isEnclosed };
}

/** Inserts into an empty block. `{}` is expanded to several lines; a block without brackets gets a new line below. */
function insertAlone(insertion: Insertion, inside: TextSpan): readonly BlockChange[] {
  const { start, end, outer, target, lineEnd, isEnclosed } = targetIn(insertion, inside);
  const lead = isEnclosed || start === 0 ? lineEnd : lineEnd.repeat(2);
  const tail = isEnclosed ? lineEnd + outer : "";
  const { snippet } = insertion;
  const change = { snippet, target, lineEnd, isInline: false };
  return withReadings({ ...change, start, end: isEnclosed ? end : start, lead, tail });
}

function insertFirst(text: string, inside: Inside, given: Snippet, isList: boolean): readonly BlockChange[] {
  const { at, start, target, lineEnd, isOpen } = inside;
  const snippet = isList ? withoutSeparator(given, { mark: "," }) : given;
  const tail = (isList ? "," : "") + lineEnd;
  const change = { snippet, target, lineEnd, isInline: false };
  if (!isOpen)
    return withReadings({ ...change, start, end: at, lead: lineEnd, tail: tail + target.indentation });
  const from = lineStart(text, at);
  return withReadings({ ...change, start: from, end: from, tail });
}

function insertLast(text: string, inside: Inside, given: Snippet, isList: boolean): readonly BlockChange[] {
  const { at, end, outer, target, lineEnd: newLine, isOpen, isEnclosed } = inside;
  const hasComma = text[at - 1] === ",";
  const snippet = isList ? withoutSeparator(given, { mark: "," }) : given;
  const also = isList && !hasComma ? { start: at, end: at, text: "," } : undefined;
  const closing = isList && hasComma ? "," : "";
  const change = { snippet, target, lineEnd: newLine, isInline: false, lead: newLine, also };
  const over = lineEnd(text, at);
  if ((isOpen && over <= end) || !isEnclosed)
    return withReadings({ ...change, start: over, end: over, tail: closing });
  return withReadings({ ...change, start: at, end, tail: closing + newLine + outer });
}

const directive = /^(?:\s*(["'])use [a-z ]+\1;?[ \t]*(?=\r?\n|$))+/;
const docstring =
  /^\s*[rRuUbB]?(?:"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')[ \t]*(?=\r?\n|$)/;

/** Patterns of lines that must come first in a block: inner attributes and doc comments, directives, docstrings. */
const preambles: ReadonlyMap<string, RegExp> = new Map([
  ["python", docstring],
  ["rust", /^(?:\s*(?:\/\/![^\n]*|#!\[[^\]]*\]))+/],
  ["javascript", directive],
  ["typescript", directive],
  ["tsx", directive],
]);
