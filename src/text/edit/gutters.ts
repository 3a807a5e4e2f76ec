import { isBlankLine } from "./tiers.ts";

export interface WithoutGutters {
  readonly oldLines: readonly string[];
  /** Takes the gutter off a new line that has one. */
  readonly strip: (line: string) => string;
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

/** The lines without their numbers, when every line has one and they count up; the blank after it may be part of it. */
export function* stripGutters(lines: readonly string[]): Generator<WithoutGutters> {
  for (const gutter of gutters) {
    const firstLine = countsUp(lines, gutter);
    if (firstLine === undefined) continue;
    const bodies = lines.map((line) => line.replace(gutter, ""));
    const withoutBlank = (line: string) => (line.startsWith(" ") ? line.slice(1) : line);
    const stripped = (line: string) => (gutter.test(line) ? line.replace(gutter, "") : line);
    if (bodies.every((body) => body === "" || body.startsWith(" "))) {
      const strip = (line: string) => (gutter.test(line) ? withoutBlank(stripped(line)) : line);
      yield { oldLines: bodies.map(withoutBlank), strip, firstLine };
    }
    yield { oldLines: bodies, strip: stripped, firstLine };
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
