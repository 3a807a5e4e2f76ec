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
  { habits, taught, startsInside }: FileIndentation & { readonly startsInside: boolean },
): IndentationMap | undefined {
  const pairs = indentationPairs(block, found);
  const removed = pairs.filter(({ index }) => !block.isContext(index));
  const near = removed.length > 0 ? removed : pairs.filter(isNextTo(block));
  // A single blank is no level, but stands before the star of a comment.
  if (near.every(isSame) && near.some(({ written }) => written !== "" && written !== " "))
    return (written) => written;
  const fitting = withoutContradiction(pairs, removed);
  const later = fitting.filter(({ index }) => index > 0);
  // Text that begins at its first letter says nothing about other lines, unless that is at the margin.
  const mayBeginInside =
    !block.wholeLines &&
    indentationOf(block.oldLines[0]!) === "" &&
    (startsInside || indentationOf(found[0]!) !== "");
  const losesFirst = indentationOf(block.oldLines[0]!) === "" && indentationOf(found[0]!) !== "";
  if (mayBeginInside && later.length === 0) return (written) => written;
  const isSound = fitIndentation(withoutDrift(fitting), wanted, habits) !== undefined;
  const isTaught = withoutContradiction(taught, fitting).length === taught.length;
  const choices: readonly (readonly IndentationPair[])[] = [
    ...(mayBeginInside ? [later, fitting] : [fitting, losesFirst ? later : []]),
    isSound ? removed : [],
    isTaught ? [...fitting, ...taught] : [],
  ];
  for (const choice of choices.map(withoutDrift)) {
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

/** Without pairs of which others say that their depth is another one. */
function withoutContradiction<Pair extends IndentationPair>(
  pairs: readonly Pair[],
  others: readonly IndentationPair[],
): readonly Pair[] {
  const levels = Map.groupBy(others, ({ written }) => written);
  return pairs.filter((pair) => levels.get(pair.written)?.some(({ found }) => found === pair.found) ?? true);
}

/** Where at some depth as many lines are as in the file as are not, those that are not have drifted, at any depth. */
function withoutDrift(pairs: readonly IndentationPair[]): readonly IndentationPair[] {
  const hasDrifted = [...Map.groupBy(pairs, ({ written }) => written).values()].some((level) => {
    const exact = level.filter(isSame).length;
    return exact < level.length && 2 * exact >= level.length;
  });
  return hasDrifted ? pairs.filter(isSame) : pairs;
}

function isSame({ written, found }: IndentationPair): boolean {
  return written === found;
}

/** Tells whether a line stands next to new ones, blank lines aside. */
function isNextTo({ oldLines, runs }: Block): (pair: LinePair) => boolean {
  const neighbours = new Set<number>();
  for (const { oldStart } of runs) {
    let above = oldStart - 1;
    while (above >= 0 && isBlankLine(oldLines[above]!)) above -= 1;
    let below = oldStart;
    while (below < oldLines.length && isBlankLine(oldLines[below]!)) below += 1;
    neighbours.add(above).add(below);
  }
  return ({ index }) => neighbours.has(index);
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
