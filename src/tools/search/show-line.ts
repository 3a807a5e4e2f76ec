import { showStrayBytes } from "../../lib/searchable-text.ts";
import { characterStart } from "../../lib/truncate.ts";

/** Longer lines are generated or data; a few of them would push everything else out. */
export const maxLineChars = 500;

/** How much of a long line is shown before the match. */
export const charsBeforeMatch = 100;

/**
 * A line as the model sees it: without its line end, a long one cut to what is around the match at `at`.
 * `isOpen` says on which sides the line itself goes on beyond `text`.
 */
export function showLine(
  text: string,
  at: number,
  isOpen: { readonly before: boolean; readonly after: boolean } = { before: false, after: false },
): string {
  const line = text.endsWith("\r") ? text.slice(0, -1) : text;
  if (line.length <= maxLineChars && !isOpen.before && !isOpen.after) return showStrayBytes(line);
  const start = characterStart(line, Math.max(0, at - charsBeforeMatch));
  const end = characterStart(line, start + maxLineChars);
  const before = start > 0 || isOpen.before ? "[…] " : "";
  const after = end < line.length || isOpen.after ? " […]" : "";
  return before + showStrayBytes(line.slice(start, end)) + after;
}
