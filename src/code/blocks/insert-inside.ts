import type { CodeSymbol, Outline } from "../../contract/code.ts";
import type { BlockChange } from "./block-change.ts";
import { siblingsOf } from "./gaps.ts";
import { indentationLevel } from "./indentation-level.ts";
import { insertBeside } from "./insert-block.ts";
import { indentationAt, lineEnd, lineEndNear, lineStart, opensLine } from "./lines.ts";
import { endOfPreamble } from "./preamble.ts";
import { spanOf } from "./replace-block.ts";
import { elementLineEnd } from "./separators.ts";
import { fitsOf, type Snippet } from "./snippet.ts";

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
  const beside =
    position === "inside_start"
      ? children.find(({ start }) => start === first)
      : children.findLast((child) => endsAt(text, child, last));
  if (beside)
    return insertBeside(text, outline, beside, position === "inside_start" ? "before" : "after", snippet);
  const at = position === "inside_start" && first < inside.end ? first : last;
  return insertAmongLines(
    text,
    symbol,
    { at, isStart: at === first && position === "inside_start" },
    snippet,
  );
}

/** It is the last but for a separator and a comment. */
function endsAt(text: string, child: CodeSymbol, last: number): boolean {
  const { end } = spanOf(text, child);
  return end <= last && (elementLineEnd(text, end) ?? end) >= last;
}

/** `{}` is opened, and what has no brackets gets a line below. */
function insertAlone(
  text: string,
  symbol: CodeSymbol,
  inside: { readonly start: number; readonly end: number },
  snippet: Snippet,
): readonly BlockChange[] {
  const newLine = lineEndNear(text, symbol.start);
  const outer = indentationAt(text, symbol.start);
  const level = indentationLevel(text);
  const isHeld = text.slice(inside.end, symbol.end).trim() !== "";
  const indentation = isHeld ? outer + (level || "  ") : outer;
  const lead = isHeld || inside.start === 0 ? newLine : newLine.repeat(2);
  const place = {
    start: inside.start,
    end: isHeld ? inside.end : inside.start,
    lead,
    tail: isHeld ? newLine + outer : "",
  };
  return fitsOf(snippet, { indentation, level }).map((fitted) => ({
    ...place,
    snippet,
    fitted,
    lineEnd: newLine,
    indentation: "",
  }));
}

/** Before the first or after the last line of what is there. */
function insertAmongLines(
  text: string,
  symbol: CodeSymbol,
  { at, isStart }: { readonly at: number; readonly isStart: boolean },
  snippet: Snippet,
): readonly BlockChange[] {
  const newLine = lineEndNear(text, symbol.start);
  const level = indentationLevel(text);
  const outer = indentationAt(text, symbol.start);
  const { inside } = symbol;
  const firstInk = inside!.start + /^\s*/.exec(text.slice(inside!.start, inside!.end))![0].length;
  const isOpen = opensLine(text, firstInk);
  const indentation = isOpen ? indentationAt(text, firstInk) : outer + (level || "  ");
  const change = fitsOf(snippet, { indentation, level }).map((fitted) => ({
    snippet,
    fitted,
    lineEnd: newLine,
    indentation: "",
  }));
  if (isOpen && isStart) {
    const start = lineStart(text, at);
    return change.map((each) => ({ ...each, start, end: start, tail: newLine }));
  }
  if (isStart)
    return change.map((each) => ({
      ...each,
      start: inside!.start,
      end: at,
      lead: newLine,
      tail: newLine + indentation,
    }));
  if (isOpen && lineEnd(text, at) <= inside!.end) {
    const end = lineEnd(text, at);
    return change.map((each) => ({ ...each, start: end, end, lead: newLine }));
  }
  const isHeld = text.slice(inside!.end, symbol.end).trim() !== "";
  const place = isHeld
    ? { start: at, end: inside!.end, tail: newLine + outer }
    : { start: lineEnd(text, at), end: lineEnd(text, at), tail: "" };
  return change.map((each) => ({ ...each, ...place, lead: newLine }));
}
