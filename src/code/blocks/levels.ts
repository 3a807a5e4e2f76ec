import { blanksOf } from "./lines.ts";
import type { Place } from "./snippet.ts";

/**
 * How the blanks by which lines are deeper than the first of them are written at a place: tabs for spaces, spaces for tabs
 * or in another width, where the lines show plainly what one level of theirs is; else as given.
 */
export function levelsFor(lines: readonly string[], place: Place): (more: string) => string {
  const { level } = place;
  const indented = lines.map(blanksOf).filter((more) => more.length > 1 || more === "\t");
  if (level === "\t" && indented.every((more) => !more.includes("\t"))) {
    const step = Math.min(...indented.map((more) => more.length), 8);
    return (more) => level.repeat(Math.floor(more.length / step)) + " ".repeat(more.length % step);
  }
  if (!level.startsWith(" ")) return asGiven;
  if (indented.every((more) => more.startsWith("\t"))) return (more) => more.replaceAll("\t", level);
  const width = widthIn(lines);
  if (width === undefined || width === level.length || place.isMixed) return asGiven;
  const resized = (more: string) =>
    level.repeat(Math.floor(more.length / width)) + " ".repeat(more.length % width);
  return repeats(lines, place, asGiven) > 0 ? asGiven : resized;
}

const asGiven = (more: string): string => more;

/** By how many spaces each body is deeper than the line that opens it; undefined where they differ, or any has a tab. */
function widthIn(lines: readonly string[]): number | undefined {
  if (lines.some((line) => blanksOf(line).includes("\t"))) return undefined;
  const steps = lines
    .slice(1)
    .map((line, index) => ({
      opener: lines[index]!,
      step: blanksOf(line).length - blanksOf(lines[index]!).length,
    }))
    .filter(({ opener, step }) => step > 1 && opensBody.test(opener))
    .map(({ step }) => step);
  return new Set(steps).size === 1 ? steps[0] : undefined;
}

/** Not an open parenthesis: what continues in one is often deeper than a body. */
const opensBody = /(?:[{:]|\b(?:do|then|begin))\s*$/;

/** How many of the old lines, but for closing ones, a way to write them leaves as they are. */
function repeats(
  lines: readonly string[],
  { indentation, old = [] }: Place,
  levels: (more: string) => string,
): number {
  const known = new Set(old);
  return lines.filter((line) => {
    const blanks = blanksOf(line);
    return (
      blanks.length > 1 &&
      /\w/.test(line) &&
      known.has(indentation + levels(blanks) + line.slice(blanks.length))
    );
  }).length;
}
