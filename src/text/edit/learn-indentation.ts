import type { Block } from "./block.ts";
import { fitIndentation, type IndentationMap, type IndentationPair } from "./fit-indentation.ts";
import type { IndentationHabits } from "./indentation-habits.ts";
import { indentationOf, isBlankLine } from "./tiers.ts";

/** What is known of a file's indentation, beyond the lines of one block. */
export interface FileIndentation {
  habits(): IndentationHabits;
  /** What the other blocks of the call show. */
  readonly taught: readonly IndentationPair[];
}

/**
 * A map for all wanted indentations, from as many lines as agree: all, all but the first, removed ones, those of other
 * blocks too. Where the lines next to the new ones are indented as the call has them, so are these; a line further off
 * may have drifted.
 */
export function learnIndentation(
  block: Block,
  found: readonly string[],
  wanted: readonly string[],
  { habits, taught }: FileIndentation,
): IndentationMap | undefined {
  const pairs = indentationPairs(block, found);
  const near = pairs.filter(({ index }) => isNear(block, index));
  if (near.every(isSame) && near.some(({ written }) => written !== "")) return (written) => written;
  const contradictsNear = (pair: IndentationPair) => {
    const level = near.filter(({ written }) => written === pair.written);
    return level.length > 0 && level.every(({ found }) => found !== pair.found);
  };
  const fitting = pairs.filter((pair) => !contradictsNear(pair));
  const later = fitting.filter(({ index }) => index > 0);
  // Text that begins at its first letter may have begun inside its line, which then says nothing about other lines.
  const mayBeginInside = !block.wholeLines && indentationOf(block.oldLines[0]!) === "";
  if (mayBeginInside && later.length === 0) return (written) => written;
  const isSound = fitIndentation(withoutDrift(fitting), wanted, habits) !== undefined;
  const removed = isSound ? fitting.filter(({ index }) => !block.isContext(index)) : [];
  const isTaught = fitting.every((pair) => taught.every((other) => !contradicts(pair, other)));
  const ownChoices = [...(mayBeginInside ? [later, fitting] : [fitting, later]), removed];
  for (const choice of [...ownChoices, isTaught ? [...fitting, ...taught] : []].map(withoutDrift)) {
    const map = choice.length > 0 ? fitIndentation(choice, wanted, habits) : undefined;
    if (map && wanted.every((indentation) => map(indentation) !== undefined)) return map;
  }
  return undefined;
}

interface LinePair extends IndentationPair {
  /** The old line. */
  readonly index: number;
}

export function indentationPairs(block: Block, found: readonly string[]): readonly LinePair[] {
  return block.oldLines.flatMap((line, index) =>
    isBlankLine(line) || isBlankLine(found[index]!)
      ? []
      : [{ index, written: indentationOf(line), found: indentationOf(found[index]!) }],
  );
}

/** Without lines at another depth than in the file, where most others of their depth are as in the file. */
function withoutDrift(pairs: readonly IndentationPair[]): readonly IndentationPair[] {
  return pairs.filter((pair) => {
    const level = pairs.filter(({ written }) => written === pair.written);
    return isSame(pair) || 2 * level.filter(isSame).length <= level.length;
  });
}

function contradicts(pair: IndentationPair, other: IndentationPair): boolean {
  return pair.written === other.written && pair.found !== other.found;
}

function isSame({ written, found }: IndentationPair): boolean {
  return written === found;
}

/** Lines that are removed; where none is, those next to the new ones. */
function isNear(block: Block, index: number): boolean {
  const { oldLines, runs } = block;
  if (oldLines.some((line, each) => !block.isContext(each) && !isBlankLine(line)))
    return !block.isContext(index);
  return runs.some(({ oldStart }) => {
    const above = oldLines.findLastIndex((line, each) => each < oldStart && !isBlankLine(line));
    const below = oldLines.findIndex((line, each) => each >= oldStart && !isBlankLine(line));
    return index === above || index === below;
  });
}

/**
 * New lines of a block whose old lines are not indented, so that they cannot show what others do: that the call has
 * spaces where the file has tabs, or the other way round.
 */
export function indentAsTaught(block: Block, { habits, taught }: FileIndentation): readonly string[] {
  const usesTabs = (indentation: string) => indentation.includes("\t");
  const isSwapped = taught.some(
    ({ written, found }) => written !== "" && found !== "" && usesTabs(written) !== usesTabs(found),
  );
  if (!isSwapped || block.oldLines.some((line) => indentationOf(line) !== "")) return block.newLines;
  const map = fitIndentation(taught, block.newLines.map(indentationOf), habits);
  return block.newLines.map((line) => {
    const written = indentationOf(line);
    return (map?.(written) ?? written) + line.slice(written.length);
  });
}
