import { foldGlyphs } from "./glyphs.ts";

/**
 * How a place was found, strictest first. `exact` to `glyphs` say what had to be overlooked in the lines themselves;
 * `unwrapped` that the call came in a wrapping; `stale-line` that one context line is behind the file.
 */
const tierNames = [
  "exact",
  "line-ends",
  "trailing-blanks",
  "indentation",
  "glyphs",
  "unwrapped",
  "stale-line",
] as const;

export type TierName = (typeof tierNames)[number];

/** Lines that are the same after `normalise` are the same to this tier; later tiers overlook more. */
interface LineTier {
  readonly name: TierName;
  normalise(line: string): string;
}

const lineTiers: readonly LineTier[] = [
  { name: "exact", normalise: (line) => line },
  { name: "trailing-blanks", normalise: trimTrailingBlanks },
  { name: "indentation", normalise: (line) => trimTrailingBlanks(line).slice(indentationOf(line).length) },
  { name: "glyphs", normalise: foldGlyphs },
];

/** The strictest tier, but no looser one than `upTo`, to which two lines are the same. */
export function tierOfLines(wanted: string, found: string, upTo: TierName = "glyphs"): TierName | undefined {
  for (const { name, normalise } of lineTiers) {
    if (normalise(wanted) === normalise(found)) return name;
    if (name === upTo) return undefined;
  }
  return undefined;
}

/** The more tolerant of two tiers. */
export function looser(left: TierName, right: TierName): TierName {
  return tierNames.indexOf(left) > tierNames.indexOf(right) ? left : right;
}

/** Whether the lines of a match differ from the file's beyond line ends and trailing blanks. */
export function overlooksContent(tier: TierName): boolean {
  return tierNames.indexOf(tier) > tierNames.indexOf("trailing-blanks");
}

/** The blanks a line begins with, odd ones too. */
export function indentationOf(line: string): string {
  let end = 0;
  while (isBlank(line.charCodeAt(end))) end += 1;
  return line.slice(0, end);
}

export function trimTrailingBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && isBlank(line.charCodeAt(end - 1))) end -= 1;
  return end === line.length ? line : line.slice(0, end);
}

export function isBlankLine(line: string): boolean {
  return line.trim() === "";
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 11 || code === 12 || (code >= 0xa0 && isOddBlank(code));
}

/** Blanks that look like a space: no-break, of fixed width, ideographic. */
function isOddBlank(code: number): boolean {
  return (
    code === 0xa0 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  );
}
