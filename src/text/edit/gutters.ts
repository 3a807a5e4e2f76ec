import { isBlankLine } from "./tiers.ts";

export interface WithoutGutters {
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  readonly firstLine: number;
}

/** Line numbers as reading tools show them: `12 | `, `12→`, `12: `, `12-`, a tab, with blanks or `L` before. */
const gutters: readonly RegExp[] = [
  /^\s*L?(\d+)\s*[|│┃]/u,
  /^\s*L?(\d+)\s*[→⇥]/u,
  /^\s*L?(\d+)\t/u,
  /^\s*\[?L?(\d+)\]?:/u,
  /^\s*L?(\d+)[-).]/u,
];

/**
 * Old and new lines without their numbers, when every old line has one and they count up. The blank after a number may
 * belong to it. New lines that are not among the old ones may have numbers too: all of them or none.
 */
export function* stripGutters(
  oldLines: readonly string[],
  newLines: readonly string[],
): Generator<WithoutGutters> {
  for (const gutter of gutters) {
    const firstLine = countsUp(oldLines, gutter);
    if (firstLine === undefined) continue;
    const isAdded = (line: string) => !oldLines.includes(line);
    const numbersAdded = newLines
      .filter((line) => isAdded(line) && !isBlankLine(line))
      .every((line) => {
        const number = Number(gutter.exec(line)?.[1]);
        return number >= firstLine - 1 && number <= firstLine + oldLines.length + newLines.length;
      });
    const strip = (line: string) => (isAdded(line) && !numbersAdded ? line : line.replace(gutter, ""));
    const stripBlank = (line: string) => (strip(line) === line ? line : strip(line).replace(/^ /, ""));
    const withBlank = { oldLines: oldLines.map(strip), newLines: newLines.map(strip), firstLine };
    if (withBlank.oldLines.every((body) => body === "" || body.startsWith(" "))) {
      yield { oldLines: oldLines.map(stripBlank), newLines: newLines.map(stripBlank), firstLine };
    }
    yield withBlank;
  }
}

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
