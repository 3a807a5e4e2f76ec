import { printableLine } from "../../lib/printable.ts";
import type { Span } from "../../policy/commands/analysis.ts";
import { quoteMark, widthOf } from "./quote-text.ts";

/** A command as it was given, with `^` below the segments that matter; every line of the screen bears our mark. */
export function markSegments(command: string, spans: readonly Span[], columns: number): readonly string[] {
  const lines: { text: string; carets: string; width: number }[] = [];
  const breakLine = () => lines.push({ text: "", carets: "", width: 0 });
  breakLine();
  let offset = 0;
  for (const character of command) {
    const start = offset;
    offset += character.length;
    if (character === "\n") {
      breakLine();
      continue;
    }
    const shown = character === "\t" ? "    " : printableLine(character);
    if (lines.at(-1)!.width + widthOf(shown) > columns - quoteMark.length) breakLine();
    const line = lines.at(-1)!;
    const isMarked = spans.some((span) => span.start <= start && start < span.end);
    line.text += shown;
    line.carets += (isMarked ? "^" : " ").repeat(drawnWidth(shown));
    line.width += widthOf(shown);
  }
  return lines
    .flatMap(({ text, carets }) => [text, ...(carets.trim() === "" ? [] : [carets.trimEnd()])])
    .map((line) => quoteMark + line);
}

/** How wide most terminals draw it. */
function drawnWidth(text: string): number {
  if (/^(?:\p{M}|\u200c|\u200d)$/u.test(text)) return 0;
  return wide.test(text) ? 2 : text.length === 2 ? 1 : text.length;
}

const wide =
  /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]$/u;
