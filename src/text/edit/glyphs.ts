/**
 * What a text is made of, for comparing and for keeping: words, runs of blanks, single other characters.
 * Units with the same `key` look the same to a model.
 */
export interface Unit {
  readonly key: string;
  readonly text: string;
  /** Where the unit begins in its line. */
  readonly at: number;
}

/** A line as units. Characters without width belong to a neighbour. */
export function unitsOf(line: string): readonly Unit[] {
  if (isPlain(line)) return plainUnits(line);
  const units: { key: string; text: string; at: number }[] = [];
  let widthless = "";
  for (const { 0: text, index } of line.matchAll(unitPattern)) {
    const key = foldUnit(text);
    if (key !== "") {
      units.push({ key, text: widthless + text, at: index - widthless.length });
      widthless = "";
    } else if (units.length > 0) units.at(-1)!.text += text;
    else widthless += text;
  }
  return units;
}

/** A line with quotes, dashes, blanks, dots and accents in one spelling each. For finding only. */
export function foldGlyphs(line: string): string {
  if (isPlain(line)) {
    const body = line.trim();
    return /[\t\f\v]| {2}/.test(body) ? body.replace(/[ \t\f\v]+/g, " ") : body;
  }
  return unitsOf(line)
    .map(({ key }) => key)
    .join("")
    .trim();
}

/** The units of a text of ASCII characters, as `unitPattern` would cut them. */
function plainUnits(line: string): readonly Unit[] {
  const units: Unit[] = [];
  for (let at = 0; at < line.length; ) {
    const kind = plainKinds[line.charCodeAt(at)]!;
    let end = at + 1;
    if (kind !== lone) while (plainKinds[line.charCodeAt(end)] === kind) end += 1;
    else if (line.startsWith("...", at)) end = at + 3;
    const text = line.slice(at, end);
    units.push({ key: kind === blanks ? " " : text, text, at });
    at = end;
  }
  return units;
}

const lone = 0;
const blanks = 1;
const word = 2;

/** What an ASCII character is part of: a unit on its own, blanks or a word. */
const plainKinds: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /\s/.test(character) ? blanks : /\w/.test(character) ? word : lone;
});

function foldUnit(text: string): string {
  if (isPlain(text)) return asciiBlank.test(text) ? " " : text;
  if (blank.test(text)) return " ";
  if (/^[\ufffd\uf780-\uf7ff]/u.test(text)) return "\ufffd";
  return foldedCharacters.get(text) ?? text.normalize("NFD");
}

const asciiBlank = /^[\t-\r ]/;

const unitPattern = /(?:(?!\ufeff)[\s\u180e])+|\.{3}|[\p{L}\p{N}\p{M}_]+|[\ufffd\uf780-\uf7ff]+|[\s\S]/gu;

const blank = /^(?!\ufeff)[\s\u180e]/u;

const foldedCharacters: ReadonlyMap<string, string> = new Map([
  ...[..."‘’‚‛′"].map((quote) => [quote, "'"] as const),
  ...[..."“”„‟″"].map((quote) => [quote, '"'] as const),
  ...[..."‐‑‒–—―−﹣－"].map((dash) => [dash, "-"] as const),
  ["…", "..."],
  ...[..."\u00ad\u200b\u200c\u200d\u2060\ufeff"].map((widthless) => [widthless, ""] as const),
]);

/** Whether there is nothing to fold but blanks: a text of ASCII characters. */
export function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) >= 0x80) return false;
  return true;
}
