import type { CodeSymbol, Outline, SymbolKind } from "../../contract/code.ts";
import { type BlockChange, type Splice, withReadings } from "./block-change.ts";
import { siblingsOf } from "./gaps.ts";
import { indentationLevel } from "./indentation-level.ts";
import { insertBeside } from "./insert-block.ts";
import { indentationAt, lineEnd, lineEndNear, lineStart, opensLine } from "./lines.ts";
import { endOfPreamble } from "./preamble.ts";
import { spanOf } from "./replace-block.ts";
import { elementLineEnd, withoutSeparator } from "./separators.ts";
import type { Snippet } from "./snippet.ts";

/** The ways to put new code at the start or the end of what a block holds. None when it holds nothing. */
export function insertInside(
  text: string,
  outline: Outline,
  symbol: CodeSymbol,
  position: "inside_start" | "inside_end",
  snippet: Snippet,
): readonly BlockChange[] {
  const { inside } = symbol;
  if (inside === undefined) return [];
  const within = text.slice(inside.start, inside.end);
  if (within.trim() === "") return insertAlone(text, symbol, inside, snippet);
  const preamble = endOfPreamble(text, outline.language, inside);
  const first = preamble + /^\s*/.exec(text.slice(preamble, inside.end))![0].length;
  const last = inside.start + within.trimEnd().length;
  const children = siblingsOf(outline, outline.symbols.indexOf(symbol));
  const isStart = position === "inside_start" && first < inside.end;
  const beside = isStart
    ? children.find(({ start }) => start === first)
    : children.findLast((child) => endsAt(text, child, last));
  if (beside) return insertBeside(text, outline, beside, isStart ? "before" : "after", snippet);
  const place = { ...placeIn(text, symbol, inside), at: isStart ? first : last };
  const marks = lists.has(symbol.kind) ? [true, false] : [false, true];
  return marks.flatMap((isList) => (isStart ? insertFirst : insertLast)(text, place, snippet, isList));
}

/** What they hold is mostly separated by commas. */
const lists: ReadonlySet<SymbolKind> = new Set<SymbolKind>([
  "constant",
  "variable",
  "field",
  "property",
  "key",
  "enum",
  "variant",
]);

/** It is the last but for a separator and a comment. */
function endsAt(text: string, child: CodeSymbol, last: number): boolean {
  const { end } = spanOf(text, child);
  return end <= last && (elementLineEnd(text, end) ?? end) >= last;
}

interface Inside {
  /** Before what there is, or after it. */
  readonly at: number;
  readonly start: number;
  readonly end: number;
  /** Of what holds it, and of what it holds. */
  readonly outer: string;
  readonly indentation: string;
  readonly level: string;
  readonly lineEnd: string;
  /** What is there begins on a line of its own. */
  readonly isOpen: boolean;
  /** Something closes it: a bracket, `end`, a tag. */
  readonly isHeld: boolean;
}

function placeIn(
  text: string,
  symbol: CodeSymbol,
  { start, end }: { readonly start: number; readonly end: number },
): Omit<Inside, "at"> {
  const level = indentationLevel(text);
  const outer = indentationAt(text, symbol.start);
  const firstInk = start + /^\s*/.exec(text.slice(start, end))![0].length;
  const isOpen = firstInk < end && opensLine(text, firstInk);
  const isHeld = text.slice(end, symbol.end).trim() !== "";
  const deeper = outer + (level || "  ");
  const indentation = isOpen ? indentationAt(text, firstInk) : isHeld ? deeper : outer;
  return { start, end, outer, indentation, level, lineEnd: lineEndNear(text, symbol.start), isOpen, isHeld };
}

/** `{}` is opened, and what has no brackets gets a line below. */
function insertAlone(
  text: string,
  symbol: CodeSymbol,
  inside: { readonly start: number; readonly end: number },
  snippet: Snippet,
): readonly BlockChange[] {
  const { start, end, outer, indentation, level, lineEnd, isHeld } = placeIn(text, symbol, inside);
  const lead = isHeld || start === 0 ? lineEnd : lineEnd.repeat(2);
  const tail = isHeld ? lineEnd + outer : "";
  const place = { indentation, level };
  return withReadings({
    start,
    end: isHeld ? end : start,
    lead,
    tail,
    snippet,
    place,
    lineEnd,
    isInline: false,
  });
}

function insertFirst(text: string, inside: Inside, given: Snippet, isList: boolean): readonly BlockChange[] {
  const { at, start, indentation, level, lineEnd, isOpen } = inside;
  const snippet = isList ? withoutSeparator(given, { mark: "," }) : given;
  const closing = isList ? "," : "";
  const change = { snippet, place: { indentation, level }, lineEnd, isInline: false };
  if (!isOpen)
    return withReadings({ ...change, start, end: at, lead: lineEnd, tail: closing + lineEnd + indentation });
  const from = lineStart(text, at);
  return withReadings({ ...change, start: from, end: from, tail: closing + lineEnd });
}

function insertLast(text: string, inside: Inside, given: Snippet, isList: boolean): readonly BlockChange[] {
  const { at, end, outer, indentation, level, lineEnd: newLine, isOpen, isHeld } = inside;
  const hasComma = text[at - 1] === ",";
  const snippet = isList ? withoutSeparator(given, { mark: "," }) : given;
  const also: Splice | undefined = isList && !hasComma ? { start: at, end: at, text: "," } : undefined;
  const closing = isList && hasComma ? "," : "";
  const change = {
    snippet,
    place: { indentation, level },
    lineEnd: newLine,
    isInline: false,
    lead: newLine,
    also,
  };
  const over = lineEnd(text, at);
  if ((isOpen && over <= end) || !isHeld)
    return withReadings({ ...change, start: over, end: over, tail: closing });
  return withReadings({ ...change, start: at, end, tail: closing + newLine + outer });
}
