/**
 * How a match was found, strictest first. `exact` to `glyphs`: the differences tolerated in the lines themselves.
 * `unwrapped`: the text of the call was wrapped. `stale-line`: one context line is stale.
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

/** Returns the strictest tier, at most `upTo`, in which two lines are equal. */
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

/** Whether two characters may have the same glyph. ASCII letters and digits have no variants. */
function canBeAlike(left: number, right: number): boolean {
  return left === right || !isPlainLetter(left) || !isPlainLetter(right);
}

function isPlainLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

export function looser(left: TierName, right: TierName): TierName {
  if (left === right) return left;
  return tierNames.indexOf(left) > tierNames.indexOf(right) ? left : right;
}

/** Whether the lines of a match differ from the file's beyond line ends and trailing blanks. */
export function overlooksContent(tier: TierName): boolean {
  return tierNames.indexOf(tier) > tierNames.indexOf("trailing-blanks");
}

/** Returns the leading blanks of a line, including unusual ones. */
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

/** Whether a character looks like a space: no-break, fixed-width, ideographic. */
function isOddBlank(code: number): boolean {
  return (
    code === 0xa0 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  );
}

/** A word, a run of blanks, or another single character. Units with the same `key` look the same to a model. */
export interface Unit {
  readonly key: string;
  readonly text: string;
  readonly at: number;
}

/** A longer line is packed code or data, and is compared as a whole. */
const endless = 20_000;

/** Splits a line into units. Characters without width belong to a neighbour. */
export function unitsOf(line: string): readonly Unit[] {
  if (line.length > endless) return [{ key: line, text: line, at: 0 }];
  const units: { key: string; text: string; at: number }[] = [];
  let widthless = "";
  for (let at = 0; at < line.length; ) {
    const kind = kindAt(line, at);
    const end = unitEnd(line, at, kind);
    const text = line.slice(at, end);
    const key = foldUnit(text, kind);
    if (key !== "") {
      units.push({ key, text: widthless + text, at: at - widthless.length });
      widthless = "";
    } else if (units.length > 0) units.at(-1)!.text += text;
    else widthless += text;
    at = end;
  }
  return units;
}

/** Returns a line with one spelling each for quotes, dashes, blanks, dots and accents, for comparing only. */
export function foldGlyphs(line: string): string {
  if (line.length > endless) return line;
  if (isPlain(line)) {
    const body = line.trim();
    return /[\t\f\v\r]| {2}/.test(body) ? body.replace(/[ \t\f\v\r]+/g, " ") : body;
  }
  return unitsOf(line)
    .map(({ key }) => key)
    .join("")
    .trim();
}

const lone = 0;
const blanks = 1;
const word = 2;
const stray = 3;

function unitEnd(line: string, at: number, kind: number): number {
  if (kind === lone) return line.startsWith("...", at) ? at + 3 : at + widthAt(line, at);
  let end = at + widthAt(line, at);
  while (end < line.length && kindAt(line, end) === kind) end += widthAt(line, end);
  return end;
}

function kindAt(line: string, at: number): number {
  const code = line.charCodeAt(at);
  return code < 0x80 ? plainKinds[code]! : kindOf(String.fromCodePoint(line.codePointAt(at)!));
}

function kindOf(character: string): number {
  if (/[^\S\ufeff]|\u180e/u.test(character)) return blanks;
  if (/[\p{L}\p{N}\p{M}_]/u.test(character)) return word;
  return /[\ufffd\uf780-\uf7ff]/u.test(character) ? stray : lone;
}

const plainKinds: readonly number[] = Array.from({ length: 0x80 }, (_, code) =>
  kindOf(String.fromCharCode(code)),
);

function widthAt(line: string, at: number): number {
  return line.charCodeAt(at) >= 0xd800 && line.codePointAt(at)! > 0xffff ? 2 : 1;
}

function foldUnit(text: string, kind: number): string {
  if (kind === blanks) return " ";
  if (kind === stray) return "\ufffd";
  return isPlain(text) ? text : (foldedCharacters.get(text) ?? text.normalize("NFD"));
}

const foldedCharacters: ReadonlyMap<string, string> = new Map([
  ...[..."‘’‚‛′"].map((quote) => [quote, "'"] as const),
  ...[..."“”„‟″"].map((quote) => [quote, '"'] as const),
  ...[..."‐‑‒–—―−﹣－"].map((dash) => [dash, "-"] as const),
  ["…", "..."],
  ...[..."\u00ad\u200b\u200c\u200d\u2060\ufeff"].map((widthless) => [widthless, ""] as const),
]);

/** Typographic quotes, dashes, dots and blanks. */
const typographic = /[‘’‚‛′“”„‟″‐‑‒–—―−﹣－…\u00a0\u2000-\u200a\u202f\u205f\u3000]/u;
const everyTypographic = new RegExp(typographic, "gu");

export function isTypographic(text: string): boolean {
  return typographic.test(text);
}

/** Replaces typographic quotes, dashes, dots and blanks by plain ones. */
export function withPlainGlyphs(text: string): string {
  return text.replace(everyTypographic, (glyph) => foldedCharacters.get(glyph) ?? " ");
}

/** Whether the text is ASCII, so that only blanks have variants. */
export function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) >= 0x80) return false;
  return true;
}
