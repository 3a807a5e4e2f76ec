import type { Block } from "./block.ts";
import { fitIndentation, type IndentationMap, type IndentationPair } from "./fit-indentation.ts";
import type { IndentationHabits } from "./indentation-habits.ts";
import { keepGlyphs, learnGlyphs, replaceGlyphs } from "./keep-glyphs.ts";
import { indentationOf, isBlankLine } from "./tiers.ts";

/** What is known of the place, beyond its lines. */
interface Place {
  /** The text begins after something else on its line. */
  readonly startsInside: boolean;
  /** The lines differ in more than indentation. */
  readonly glyphs: boolean;
  /** How the file indents. */
  habits(): IndentationHabits;
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
  for (const { oldStart, oldEnd, newStart, newEnd } of block.runs) {
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

function indent(
  block: Block,
  found: readonly string[],
  newLines: readonly string[],
  { startsInside, habits }: Place,
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
  const map = learnIndentation(block, found, wanted, habits);
  for (const index of mapped) {
    const indentation = map ? map(indentationOf(newLines[index]!)) : indentationInPlace(block, found, index);
    if (indentation === undefined) return undefined;
    result[index] = indentation + withoutIndentation(newLines[index]!);
  }
  return result;
}

/**
 * A map for all wanted indentations, from as many lines as agree: all, all but the first, those next to the new lines.
 * Where these are indented as the call has them, so are the new lines; a line further off may have drifted.
 */
function learnIndentation(
  block: Block,
  found: readonly string[],
  wanted: readonly string[],
  habits: () => IndentationHabits,
): IndentationMap | undefined {
  const pairs = indentationPairs(block, found);
  const near = pairs.filter(({ index }) => isNear(block, index));
  if (near.every(isSame) && near.some(({ written }) => written !== "")) return (written) => written;
  const contradictsNear = (pair: IndentationPair) =>
    near.some(({ written, found }) => written === pair.written && found !== pair.found);
  const fitting = pairs.filter((pair) => near.includes(pair) || !contradictsNear(pair));
  const later = fitting.filter(({ index }) => index > 0);
  // Text that begins at its first letter may have begun inside its line, which then says nothing about other lines.
  const mayBeginInside = !block.wholeLines && indentationOf(block.oldLines[0]!) === "";
  if (mayBeginInside && later.length === 0) return (written) => written;
  const removed = fitting.filter(({ index }) => !block.isContext(index));
  for (const choice of [...(mayBeginInside ? [later, fitting] : [fitting, later]), removed].map(majority)) {
    const map = choice.length > 0 ? fitIndentation(choice, wanted, habits) : undefined;
    if (map && wanted.every((indentation) => map(indentation) !== undefined)) return map;
  }
  return undefined;
}

interface LinePair extends IndentationPair {
  /** The old line. */
  readonly index: number;
}

function indentationPairs(block: Block, found: readonly string[]): readonly LinePair[] {
  return block.oldLines.flatMap((line, index) =>
    isBlankLine(line) || isBlankLine(found[index]!)
      ? []
      : [{ index, written: indentationOf(line), found: indentationOf(found[index]!) }],
  );
}

/** Without lines that contradict most others of their depth; none of a depth where there are as many of either. */
function majority(pairs: readonly LinePair[]): readonly LinePair[] {
  return pairs.filter(({ written, found }) => {
    const level = pairs.filter((pair) => pair.written === written);
    return 2 * level.filter((pair) => pair.found === found).length > level.length;
  });
}

function isSame({ written, found }: IndentationPair): boolean {
  return written === found;
}

/** Lines that give way to new ones; around lines that are only added, those next to them. */
function isNear({ oldLines, runs }: Block, index: number): boolean {
  return runs.some(({ oldStart, oldEnd, newStart, newEnd }) => {
    if (newStart === newEnd) return false;
    if (oldStart < oldEnd) return oldStart <= index && index < oldEnd;
    const above = oldLines.findLastIndex((line, each) => each < oldStart && !isBlankLine(line));
    const below = oldLines.findIndex((line, each) => each >= oldStart && !isBlankLine(line));
    return index === above || index === below;
  });
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
