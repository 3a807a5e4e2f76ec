import type { CodeSymbol } from "../../contract/code.ts";
import { type BlockChange, withReadings } from "./block-change.ts";
import { indentationLevel } from "./indentation-level.ts";
import { indentationAt, lineEndNear, trimmedEnd } from "./lines.ts";
import { separatorAfter, withoutSeparator } from "./separators.ts";
import type { Snippet } from "./snippet.ts";

/** Where a block begins and ends, without blank lines that a grammar counts to it. */
export function spanOf(
  text: string,
  { start, end }: CodeSymbol,
): { readonly start: number; readonly end: number } {
  return { start, end: trimmedEnd(text, start, end) };
}

/** The ways to put new code in the place of a block, the likely one first. */
export function replaceBlock(text: string, symbol: CodeSymbol, given: Snippet): readonly BlockChange[] {
  const { start, end } = spanOf(text, symbol);
  const indentation = indentationAt(text, start);
  const snippet = withoutSeparator(given, separatorAfter(text, end));
  const changes = withReadings({
    start,
    end,
    snippet,
    place: { indentation, level: indentationLevel(text) },
    isInline: true,
    lineEnd: lineEndNear(text, start),
  });
  const closing = text[end - 1]!;
  const lacksClosing = ",;".includes(closing) && !snippet.lines.at(-1)!.endsWith(closing);
  return lacksClosing ? [...changes, ...changes.map((change) => ({ ...change, tail: closing }))] : changes;
}
