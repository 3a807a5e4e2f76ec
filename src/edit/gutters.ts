import { isBlankLine } from "./tiers.ts";

export interface WithoutGutters {
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  readonly firstLine: number;
}

/**
 * Line numbers as reading tools show them: `12 | `, `12→`, `12: `, `12-`, a tab, with blanks or `L` before. Of a blank
 * line the number alone may be left. A blank after it more often belongs to the number, or to the line.
 */
const gutters: readonly { readonly pattern: RegExp; readonly endsWithBlank: boolean }[] = [
  { pattern: /^\s*L?(\d+)(?:\s*[|│┃]|\s*$)/u, endsWithBlank: true },
  { pattern: /^\s*L?(\d+)(?:\s*[→⇥]|\s*$)/u, endsWithBlank: false },
  { pattern: /^\s*L?(\d+)(?:\t|\s*$)/u, endsWithBlank: false },
  { pattern: /^\s*\[?L?(\d+)\]?(?::|\s*$)/u, endsWithBlank: true },
  { pattern: /^\s*L?(\d+)(?:[-).]|\s*$)/u, endsWithBlank: true },
];

/**
 * Old and new lines without their numbers, when every old line has one and they count up. The blank after a number may
 * belong to it. New lines that are not among the old ones may have numbers too: all of them or none.
 */
export function* stripGutters(
  oldLines: readonly string[],
  newLines: readonly string[],
): Generator<WithoutGutters> {
  const filled = oldLines.find((line) => !isBlankLine(line));
  if (filled === undefined || !/^\s*\[?L?\d/u.test(filled)) return;
  const isOld = new Set(oldLines);
  for (const { pattern: gutter, endsWithBlank } of gutters) {
    const firstLine = countsUp(oldLines, gutter);
    if (firstLine === undefined) continue;
    const added = addedLines(oldLines, newLines, gutter, firstLine);
    if (added === "unclear") continue;
    const isBare = (line: string) => added === "bare" && !isOld.has(line);
    const strip = (line: string) => (isBare(line) ? line : line.replace(gutter, ""));
    const stripBlank = (line: string) => (strip(line) === line ? line : strip(line).replace(/^ /, ""));
    const withBlank = { oldLines: oldLines.map(strip), newLines: newLines.map(strip), firstLine };
    if (!withBlank.oldLines.every((body) => body === "" || body.startsWith(" "))) {
      yield withBlank;
      continue;
    }
    const withoutBlank = {
      oldLines: oldLines.map(stripBlank),
      newLines: newLines.map(stripBlank),
      firstLine,
    };
    yield* endsWithBlank ? [withoutBlank, withBlank] : [withBlank, withoutBlank];
  }
}

/** The number of the first line, when every line has one and they count up. */
function countsUp(lines: readonly string[], gutter: RegExp): number | undefined {
  let first: number | undefined;
  for (const [index, line] of lines.entries()) {
    const number = gutter.exec(line)?.[1];
    if (number === undefined && isBlankLine(line)) continue;
    if (number === undefined) return undefined;
    first ??= Number(number) - index;
    if (Number(number) !== first + index) return undefined;
  }
  return first;
}

/**
 * Whether the lines that are not among the old ones have numbers. Their numbers may be those of the new file, which are
 * far from the old ones where changes above add or remove much. What begins with a number of its own is no gutter.
 */
function addedLines(
  oldLines: readonly string[],
  newLines: readonly string[],
  gutter: RegExp,
  firstLine: number,
): "numbered" | "bare" | "unclear" {
  const isOld = new Set(oldLines);
  const added = newLines
    .map((line, index) => ({ line, number: Number(gutter.exec(line)?.[1]), index }))
    .filter(({ line }) => !isOld.has(line) && !isBlankLine(line));
  if (added.every(({ number }) => Number.isNaN(number))) return "bare";
  const areNear = added.every(
    ({ number }) => number >= firstLine - 1 && number <= firstLine + oldLines.length + newLines.length,
  );
  const isContentNumbered = (line: string) => {
    const body = line.replace(gutter, "");
    return gutter.test(body) && !/^\s*\d+\s*$/.test(body);
  };
  if (oldLines.some(isContentNumbered) && !added.every(({ line }) => isContentNumbered(line)))
    return areNear ? "unclear" : "bare";
  const countUp = added.every(({ number, index }, position) => {
    const previous = added[position - 1];
    return !previous || number - previous.number === index - previous.index || index - previous.index > 1;
  });
  const areNumbered = !added.some(({ number }) => Number.isNaN(number)) && (areNear || countUp);
  return areNumbered ? "numbered" : "unclear";
}
