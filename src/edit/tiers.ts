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

/** The strictest tier, but no looser one than `upTo`, to which two lines are the same. */
export function tierOfLines(
  wanted: string,
  found: string,
  upTo: "indentation" | "glyphs" = "glyphs",
): TierName | undefined {
  if (wanted === found) return "exact";
  const wantedEnd = bodyEnd(wanted);
  const foundEnd = bodyEnd(found);
  if (wantedEnd === foundEnd && wanted.slice(0, wantedEnd) === found.slice(0, foundEnd)) {
    return "trailing-blanks";
  }
  const wantedStart = bodyStart(wanted);
  const foundStart = bodyStart(found);
  const isAsLong = wantedEnd - wantedStart === foundEnd - foundStart;
  if (isAsLong && wanted.slice(wantedStart, wantedEnd) === found.slice(foundStart, foundEnd)) {
    return "indentation";
  }
  if (upTo !== "glyphs") return undefined;
  const canFoldAlike =
    canBeAlike(wanted.charCodeAt(wantedStart), found.charCodeAt(foundStart)) &&
    canBeAlike(wanted.charCodeAt(wantedEnd - 1), found.charCodeAt(foundEnd - 1));
  return canFoldAlike && foldGlyphs(wanted) === foldGlyphs(found) ? "glyphs" : undefined;
}

/** Letters and digits of ASCII look like nothing else, so that most lines are told apart by their ends. */
function canBeAlike(left: number, right: number): boolean {
  return left === right || !isPlainLetter(left) || !isPlainLetter(right);
}

function isPlainLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

/** The more tolerant of two tiers. */
export function looser(left: TierName, right: TierName): TierName {
  if (left === right) return left;
  return tierNames.indexOf(left) > tierNames.indexOf(right) ? left : right;
}

/** Whether the lines of a match differ from the file's beyond line ends and trailing blanks. */
export function overlooksContent(tier: TierName): boolean {
  return tierNames.indexOf(tier) > tierNames.indexOf("trailing-blanks");
}

/** The blanks a line begins with, odd ones too. */
export function indentationOf(line: string): string {
  return line.slice(0, bodyStart(line));
}

export function trimTrailingBlanks(line: string): string {
  return line.slice(0, bodyEnd(line));
}

export function isBlankLine(line: string): boolean {
  return line.trim() === "";
}

function bodyStart(line: string): number {
  let start = 0;
  while (isBlank(line.charCodeAt(start))) start += 1;
  return start;
}

function bodyEnd(line: string): number {
  let end = line.length;
  while (end > 0 && isBlank(line.charCodeAt(end - 1))) end -= 1;
  return end;
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
