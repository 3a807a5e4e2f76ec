import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { type BlockChange, type Splice, withReadings } from "./block-change.ts";
import { siblingsOf, valueHolders } from "./gaps.ts";
import { indentationLevel } from "./indentation-level.ts";
import { insertBeside } from "./insert-block.ts";
import { indentationAt, lineEnd, lineEndNear, lineStart, opensLine } from "./lines.ts";
import { placeAt } from "./place-at.ts";
import { endOfPreamble } from "./preamble.ts";
import { spanOf } from "./replace-block.ts";
import { elementLineEnd, withoutSeparator } from "./separators.ts";
import type { Place, Snippet } from "./snippet.ts";

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
  const place = { ...placeIn(text, outline, symbol, inside, snippet), at: isStart ? first : last };
  // What shares the line of its head, and is in no brackets, holds just that.
  if (!place.isOpen && !place.isHeld) return [];
  // What holds values mostly has commas between them.
  const marks = valueHolders.has(symbol.kind) ? [true, false] : [false, true];
  return marks.flatMap((isList) => (isStart ? insertFirst : insertLast)(text, place, snippet, isList));
}

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
  /** The indentation of what holds it. */
  readonly outer: string;
  readonly place: Place;
  readonly lineEnd: string;
  /** What is there begins on a line of its own. */
  readonly isOpen: boolean;
  /** Something closes it: a bracket, `end`, a tag. */
  readonly isHeld: boolean;
}

function placeIn(
  text: string,
  outline: Outline,
  symbol: CodeSymbol,
  { start, end }: { readonly start: number; readonly end: number },
  snippet: Snippet,
): Omit<Inside, "at"> {
  const outer = indentationAt(text, symbol.start);
  const firstInk = start + /^\s*/.exec(text.slice(start, end))![0].length;
  const isOpen = firstInk < end && opensLine(text, firstInk);
  const isHeld = /^\s*(?:[)\]}]|<\/|(?:end|fi|done|esac)\b)/.test(text.slice(end, symbol.end));
  const deeper = outer + (indentationLevel(text) || indentationLevel(snippet.lines.join("\n")) || "  ");
  const indentation = isOpen ? indentationAt(text, firstInk) : isHeld ? deeper : outer;
  const place = placeAt(text, outline, start, indentation);
  return { start, end, outer, place, lineEnd: lineEndNear(text, symbol.start), isOpen, isHeld };
}

/** `{}` is opened, and what has no brackets gets a line below. */
function insertAlone(
  text: string,
  outline: Outline,
  symbol: CodeSymbol,
  inside: { readonly start: number; readonly end: number },
  snippet: Snippet,
): readonly BlockChange[] {
  const { start, end, outer, place, lineEnd, isHeld } = placeIn(text, outline, symbol, inside, snippet);
  const lead = isHeld || start === 0 ? lineEnd : lineEnd.repeat(2);
  const tail = isHeld ? lineEnd + outer : "";
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
  const { at, start, place, lineEnd, isOpen } = inside;
  const snippet = isList ? withoutSeparator(given, { mark: "," }) : given;
  const closing = isList ? "," : "";
  const change = { snippet, place, lineEnd, isInline: false };
  if (!isOpen)
    return withReadings({
      ...change,
      start,
      end: at,
      lead: lineEnd,
      tail: closing + lineEnd + place.indentation,
    });
  const from = lineStart(text, at);
  return withReadings({ ...change, start: from, end: from, tail: closing + lineEnd });
}

function insertLast(text: string, inside: Inside, given: Snippet, isList: boolean): readonly BlockChange[] {
  const { at, end, outer, place, lineEnd: newLine, isOpen, isHeld } = inside;
  const hasComma = text[at - 1] === ",";
  const snippet = isList ? withoutSeparator(given, { mark: "," }) : given;
  const also: Splice | undefined = isList && !hasComma ? { start: at, end: at, text: "," } : undefined;
  const closing = isList && hasComma ? "," : "";
  const change = {
    snippet,
    place,
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
