import type { Block } from "../block.ts";
import { likeness } from "../diagnose/near-misses.ts";
import { diffRuns, type Run } from "../diff-runs.ts";
import { indentationOf, isBlankLine, isPlain, type Unit, unitsOf } from "../match/tiers.ts";
import { type FileIndentation, learnIndentation } from "./indentation.ts";

interface TranslationContext {
  /** The text begins inside its line. */
  readonly startsInside: boolean;
  /** The lines differ in more than indentation. */
  readonly glyphs: boolean;
  readonly indentation: FileIndentation;
}

/**
 * Returns a block's new lines in the file's glyphs and indentation. `found` are the old lines in the file's spelling.
 * Returns undefined when they do not determine the indentation of the new lines.
 */
export function translate(
  block: Block,
  found: readonly string[],
  context: TranslationContext,
): readonly string[] | undefined {
  const newLines = context.glyphs ? withGlyphsKept(block, found) : block.newLines;
  return indent(block, found, newLines, context);
}

function withGlyphsKept(block: Block, found: readonly string[]): readonly string[] {
  const newLines = [...block.newLines];
  for (const { oldStart, oldEnd, newStart, newEnd } of block.runs.flatMap((run) => lineByLine(block, run))) {
    if (oldStart === oldEnd) continue;
    const bodies = keepGlyphs(
      newLines.slice(newStart, newEnd).map(withoutIndentation),
      block.oldLines.slice(oldStart, oldEnd).map(withoutIndentation),
      found.slice(oldStart, oldEnd).map(withoutIndentation),
    );
    bodies.forEach((body, index) => {
      newLines[newStart + index] = indentationOf(newLines[newStart + index]!) + body;
    });
  }
  const added = block.runs.flatMap(({ newStart, newEnd }) => range(newStart, newEnd));
  const glyphs = learnGlyphs(
    added.map((index) => withoutIndentation(block.newLines[index]!)),
    block.oldLines.map(withoutIndentation),
    found.map(withoutIndentation),
  );
  for (const index of added) {
    const line = newLines[index]!;
    newLines[index] = indentationOf(line) + replaceGlyphs(withoutIndentation(line), glyphs);
  }
  return newLines;
}

/** Splits a run into single lines if each is replaced by a similar line. */
function lineByLine({ oldLines, newLines }: Block, run: Run): readonly Run[] {
  const { oldStart, oldEnd, newStart, newEnd } = run;
  if (oldEnd - oldStart !== newEnd - newStart) return [run];
  const lines = range(0, oldEnd - oldStart);
  const areAlike = lines.every(
    (line) => likeness(oldLines[oldStart + line]!, newLines[newStart + line]!) >= 0.5,
  );
  if (!areAlike) return [run];
  return lines.map((line) => ({
    oldStart: oldStart + line,
    oldEnd: oldStart + line + 1,
    newStart: newStart + line,
    newEnd: newStart + line + 1,
  }));
}

function indent(
  block: Block,
  found: readonly string[],
  newLines: readonly string[],
  { startsInside, indentation }: TranslationContext,
): readonly string[] | undefined {
  const result = [...newLines];
  const added = block.runs.flatMap(({ newStart, newEnd }) => range(newStart, newEnd));
  const mapped = added.filter((index) => !isBlankLine(newLines[index]!));
  const replacesStart = !block.wholeLines && block.runs[0]?.oldStart === 0 && block.runs[0].newStart === 0;
  if (replacesStart && mapped[0] === 0) {
    const isAsOld = indentationOf(newLines[0]!) === indentationOf(block.oldLines[0]!);
    if (isAsOld && !startsInside) result[0] = indentationOf(found[0]!) + withoutIndentation(newLines[0]!);
    if (isAsOld || startsInside) mapped.shift();
  }
  const wanted = mapped.map((index) => indentationOf(newLines[index]!));
  const map = learnIndentation(block, found, wanted, { ...indentation, startsInside });
  for (const index of mapped) {
    const blanks = map ? map(indentationOf(newLines[index]!)) : indentationInPlace(block, found, index);
    if (blanks === undefined) return undefined;
    result[index] = blanks + withoutIndentation(newLines[index]!);
  }
  return result;
}

/** Returns the indentation of a single line that replaces a single line with the same indentation in the call. */
function indentationInPlace(block: Block, found: readonly string[], newLine: number): string | undefined {
  const run = block.runs.find(({ newStart, newEnd }) => newStart === newLine && newEnd === newLine + 1);
  if (!run || run.oldEnd !== run.oldStart + 1) return undefined;
  const isAsOld = indentationOf(block.oldLines[run.oldStart]!) === indentationOf(block.newLines[newLine]!);
  return isAsOld ? indentationOf(found[run.oldStart]!) : undefined;
}

function withoutIndentation(line: string): string {
  return line.slice(indentationOf(line).length);
}

function range(start: number, end: number): readonly number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}

/**
 * Returns the new lines with every word, quote, dash and blank that the call does not change spelled as in the file.
 * `oldLines` and `foundLines` are the same lines in the call's and the file's spelling.
 */
function keepGlyphs(
  newLines: readonly string[],
  oldLines: readonly string[],
  foundLines: readonly string[],
): readonly string[] {
  const written = textsOf(oldLines.map(innerUnits));
  const found = textsOf(foundLines.map(innerUnits));
  // Lines with a different number of units show no spelling.
  if (written.length !== found.length) return newLines;
  const wanted = textsOf(newLines.map(unitsOf));
  const result = [...wanted];
  let oldUnit = 0;
  let newUnit = 0;
  const end = { oldStart: written.length, oldEnd: written.length, newEnd: wanted.length };
  for (const run of [...diffRuns(written, wanted), end]) {
    const kept = found.slice(oldUnit, run.oldStart);
    // Common units count only with a letter, a digit or a line break: a common quote or blank may be a coincidence.
    if (kept.some((text) => telling.test(text))) result.splice(newUnit, kept.length, ...kept);
    ({ oldEnd: oldUnit, newEnd: newUnit } = run);
  }
  return result.join("").split(lineBreak).slice(1, -1);
}

/** Maps the glyphs that the call has wherever the file has only a plain one to that one. */
function learnGlyphs(
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
    const isOnlyPlain = found.size === 1 && isPlain(plain!) && !written.has(plain!) && !added.has(plain!);
    if (isOnlyPlain) for (const glyph of written) glyphs.set(glyph, plain!);
  }
  return glyphs;
}

function replaceGlyphs(line: string, glyphs: ReadonlyMap<string, string>): string {
  return unitsOf(line)
    .flatMap(({ key, text }) => glyphsOf(key, text))
    .map((glyph) => glyphs.get(glyph) ?? glyph)
    .join("");
}

const lineBreak = "\n";
const telling = /[\p{L}\p{N}\n]/u;

function textsOf(lines: readonly (readonly Unit[])[]): readonly string[] {
  return [lineBreak, ...lines.flatMap((units) => [...units.map(({ text }) => text), lineBreak])];
}

/** Removes trailing blanks, which may be only in the file or only in the call. */
function innerUnits(line: string): readonly Unit[] {
  const units = unitsOf(line);
  return units.at(-1)?.key === " " ? units.slice(0, -1) : units;
}

/** Splits a run of blanks into single blanks. Every other unit is one glyph. */
function glyphsOf(key: string, text: string): readonly string[] {
  return key === " " ? [...text] : [text];
}
