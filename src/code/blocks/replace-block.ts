import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { lineEndNear, lineStart } from "../lines.ts";
import { type BlockChange, withReadings } from "./block-change.ts";
import { spanOf } from "./block-text.ts";
import { indentationLevel, type Snippet, targetAt } from "./snippet.ts";
import { separatorAfter, withoutSeparator } from "./spacing.ts";

/** Returns the ways to replace a block from `start` on, most likely first. Default: the whole block. */
export function replaceBlock(
  text: string,
  outline: Outline,
  symbol: CodeSymbol,
  given: Snippet,
  start: number = spanOf(text, symbol).start,
): readonly BlockChange[] {
  const { end } = spanOf(text, symbol);
  const snippet = withoutSeparator(given, separatorAfter(text, end));
  const whole = text.slice(lineStart(text, start), end);
  const target = targetAt(text, outline, start);
  const level = indentationLevel(whole) || target.level;
  const changes = withReadings({
    start,
    end,
    snippet,
    old: text.slice(start, end),
    target: { ...target, level, isMixed: level !== target.level, old: whole.split(/\r?\n/) },
    isInline: true,
    lineEnd: lineEndNear(text, start),
  });
  const closing = text[end - 1]!;
  const lacksClosing = ",;".includes(closing) && !snippet.lines.at(-1)!.endsWith(closing);
  return lacksClosing ? [...changes, ...changes.map((change) => ({ ...change, tail: closing }))] : changes;
}
