import { diffRuns } from "./diff-runs.ts";
import { isPlain, type Unit, unitsOf } from "./glyphs.ts";

/**
 * New lines in which every word, quote, dash and blank that the call leaves alone is spelled as in the file.
 * `oldLines` and `foundLines` are the same lines in the call's and in the file's spelling.
 */
export function keepGlyphs(
  newLines: readonly string[],
  oldLines: readonly string[],
  foundLines: readonly string[],
): readonly string[] {
  const written = textsOf(oldLines.map(innerUnits));
  const found = textsOf(foundLines.map(innerUnits));
  // Both spell the same units; when they do not, there is nothing to learn.
  if (written.length !== found.length) return newLines;
  const wanted = textsOf(newLines.map(unitsOf));
  const result = [...wanted];
  let oldUnit = 0;
  let newUnit = 0;
  for (const run of [...diffRuns(written, wanted), end(written.length, wanted.length)]) {
    const kept = found.slice(oldUnit, run.oldStart);
    // A lone quote or blank that happens to be on both sides says nothing, unless the line begins or ends with it.
    if (kept.some((text) => telling.test(text))) result.splice(newUnit, kept.length, ...kept);
    ({ oldEnd: oldUnit, newEnd: newUnit } = run);
  }
  return result.join("").split(lineBreak).slice(1, -1);
}

/**
 * Glyphs the call has wherever the file has plain characters, and never those, in new lines neither: curly quotes for
 * straight ones, odd spaces for plain ones. Then they are meant as plain ones in new lines too.
 */
export function learnGlyphs(
  newLines: readonly string[],
  oldLines: readonly string[],
  foundLines: readonly string[],
): ReadonlyMap<string, string> {
  const spellings = new Map<string, { written: Set<string>; found: Set<string> }>();
  for (const [index, oldLine] of oldLines.entries()) {
    const written = innerUnits(oldLine);
    const found = innerUnits(foundLines[index]!);
    if (written.length !== found.length) continue;
    for (const [at, { key, text }] of written.entries()) {
      const spelling = spellings.get(key) ?? { written: new Set(), found: new Set() };
      for (const glyph of glyphsOf(key, text)) spelling.written.add(glyph);
      for (const glyph of glyphsOf(key, found[at]!.text)) spelling.found.add(glyph);
      spellings.set(key, spelling);
    }
  }
  const glyphs = new Map<string, string>();
  const added = new Set(newLines.flatMap(unitsOf).flatMap(({ key, text }) => glyphsOf(key, text)));
  for (const { written, found } of spellings.values()) {
    const [plain] = found;
    const isMeant = found.size === 1 && isPlain(plain!) && !written.has(plain!) && !added.has(plain!);
    if (isMeant) for (const glyph of written) glyphs.set(glyph, plain!);
  }
  return glyphs;
}

export function replaceGlyphs(line: string, glyphs: ReadonlyMap<string, string>): string {
  return unitsOf(line)
    .flatMap(({ key, text }) => glyphsOf(key, text))
    .map((glyph) => glyphs.get(glyph) ?? glyph)
    .join("");
}

const lineBreak = "\n";
const telling = /[\p{L}\p{N}\n]/u;

/** The units of lines, each line between line breaks. */
function textsOf(lines: readonly (readonly Unit[])[]): readonly string[] {
  return [lineBreak, ...lines.flatMap((units) => [...units.map(({ text }) => text), lineBreak])];
}

/** The units of a line without trailing blanks, which may be the file's or the call's alone. */
function innerUnits(line: string): readonly Unit[] {
  const units = unitsOf(line);
  return units.at(-1)?.key === " " ? units.slice(0, -1) : units;
}

/** Blanks come in runs, everything else is spelled as a whole. */
function glyphsOf(key: string, text: string): readonly string[] {
  return key === " " ? [...text] : [text];
}

function end(oldEnd: number, newEnd: number): { oldStart: number; oldEnd: number; newEnd: number } {
  return { oldStart: oldEnd, oldEnd, newEnd };
}
