import type { Block } from "./block.ts";
import type { Run } from "./diff-runs.ts";
import { keepGlyphs, learnGlyphs, replaceGlyphs } from "./keep-glyphs.ts";
import { type FileIndentation, learnIndentation } from "./learn-indentation.ts";
import { likeness } from "./places.ts";
import { indentationOf, isBlankLine } from "./tiers.ts";

/** What is known of the place, beyond its lines. */
interface Place {
  /** The text begins after something else on its line. */
  readonly startsInside: boolean;
  /** The lines differ in more than indentation. */
  readonly glyphs: boolean;
  readonly indentation: FileIndentation;
}

/**
 * A block's new lines in the file's glyphs and indentation. `found` are the old lines as the file has them. Undefined
 * when it does not follow from them how the new lines are to be indented.
 */
export function translate(
  block: Block,
  found: readonly string[],
  place: Place,
): readonly string[] | undefined {
  const newLines = place.glyphs ? withGlyphsKept(block, found) : block.newLines;
  return indent(block, found, newLines, place);
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

/** A run as one of its own for every line, where each gives way to a line like it. */
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
  { startsInside, indentation }: Place,
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

/** A single line in place of a single one stands where that stood, whatever the rest of the block says. */
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
