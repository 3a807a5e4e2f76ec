import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { type BlockChange, withReadings } from "./block-change.ts";
import { indentationLevel } from "./indentation-level.ts";
import { lineEndNear, lineStart, trimmedEnd } from "./lines.ts";
import { placeAt } from "./place-at.ts";
import { separatorAfter, withoutSeparator } from "./separators.ts";
import type { Snippet } from "./snippet.ts";

/** Where a block begins and ends, without blanks and line ends that a grammar counts to it. */
export function spanOf(
  text: string,
  symbol: Pick<CodeSymbol, "start" | "end">,
): { readonly start: number; readonly end: number } {
  const own = text.slice(symbol.start, symbol.end);
  const start = symbol.start + (own.length - own.trimStart().length);
  return { start, end: Math.max(start, trimmedEnd(text, symbol.start, symbol.end)) };
}

/** The ways to put new code in the place of a block, the likely one first. */
export function replaceBlock(
  text: string,
  outline: Outline,
  symbol: CodeSymbol,
  given: Snippet,
): readonly BlockChange[] {
  const { start, end } = spanOf(text, symbol);
  const snippet = withoutSeparator(given, separatorAfter(text, end));
  const whole = text.slice(lineStart(text, start), end);
  const place = placeAt(text, outline, start);
  const level = indentationLevel(whole) || place.level;
  const changes = withReadings({
    start,
    end,
    snippet,
    old: text.slice(start, end),
    place: { ...place, level, isMixed: level !== place.level, old: whole.split(/\r?\n/) },
    isInline: true,
    lineEnd: lineEndNear(text, start),
  });
  const closing = text[end - 1]!;
  const lacksClosing = ",;".includes(closing) && !snippet.lines.at(-1)!.endsWith(closing);
  return lacksClosing ? [...changes, ...changes.map((change) => ({ ...change, tail: closing }))] : changes;
}
