import type { Block } from "../block.ts";
import { indentationOf, isBlankLine } from "../match/tiers.ts";
import type { LineTable } from "../source.ts";

/** Known facts about a file's indentation besides the lines of one block. */
export interface FileIndentation {
  habits(): IndentationHabits;
  /** Indentations in the call and in the file, from blocks that matched with other indentation. */
  readonly taught: readonly IndentationPair[];
}

/**
 * Learns a mapping from the call's indentation to the file's, from the first of these that gives one for all `wanted`:
 * all lines, all but the first, the removed lines, or the lines of other blocks too. If the lines next to the new ones
 * are indented as in the call, the mapping changes nothing.
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
  // A single blank is not a level: it precedes the star of a comment.
  if (near.every(isSame) && near.some(({ written }) => written !== "" && written !== " "))
    return (written) => written;
  const fitting = withoutContradiction(pairs, removed);
  const later = fitting.filter(({ index }) => index > 0);
  // Text that begins at its first letter says nothing about other lines, unless it begins at the margin.
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
  readonly index: number;
}

export function indentationPairs(block: Block, found: readonly string[]): readonly LinePair[] {
  return block.oldLines.flatMap((line, index) =>
    isBlankLine(line) || isBlankLine(found[index]!)
      ? []
      : [{ index, written: indentationOf(line), found: indentationOf(found[index]!) }],
  );
}

/** Removes the pairs whose indentation in the call maps only to other ones in `others`. */
function withoutContradiction<Pair extends IndentationPair>(
  pairs: readonly Pair[],
  others: readonly IndentationPair[],
): readonly Pair[] {
  const levels = Map.groupBy(others, ({ written }) => written);
  return pairs.filter((pair) => levels.get(pair.written)?.some(({ found }) => found === pair.found) ?? true);
}

/** Removes all differing pairs if at some depth, where pairs differ, at least half of the pairs are equal. */
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

/** Returns a test whether a line is next to a change, ignoring blank lines. */
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

/** Returns the new lines of a block without indentation, with tabs or spaces as the other blocks show. */
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

/** The indentation of one line in the call and in the file. */
export interface IndentationPair {
  readonly written: string;
  readonly found: string;
}

/** Maps an indentation of the call to that of the file; undefined when it is unknown. */
type IndentationMap = (written: string) => string | undefined;

/**
 * Learns from `pairs` how to map the call's indentation: by a pair, a shift of the whole block, tabs for spaces or the
 * reverse, or another level size. Returns undefined when the pairs contradict each other. `wanted` are the indentations
 * to map, which show the level size.
 */
function fitIndentation(
  pairs: readonly IndentationPair[],
  wanted: readonly string[],
  habits: () => IndentationHabits,
): IndentationMap | undefined {
  const seen = new Map<string, string>();
  for (const { written, found } of pairs) {
    if ((seen.get(written) ?? found) !== found) return undefined;
    seen.set(written, found);
  }
  const unseen = wanted.filter((indentation) => !seen.has(indentation));
  const levels = Array.from(seen, ([written, found]) => ({ written, found }));
  let maps: readonly (IndentationMap | undefined)[] | undefined;
  const fitLevelsSeen = () =>
    levels.length === 1 && unseen.length > 0
      ? [fitOneLevel(levels[0]!, unseen, habits), fitTabs(levels, wanted)]
      : [fitShift(levels, habits), fitTabs(levels, wanted), fitLevels(levels, habits)];
  return (written) => {
    const known = seen.get(written);
    if (known !== undefined) return known;
    maps ??= fitLevelsSeen();
    for (const map of maps) {
      const found = map?.(written);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

/**
 * Learns from a single level whether the call's indentation is shifted or has another level size; the file's level size
 * decides. Returns undefined where a step could be one level of the call or two of the file.
 */
function fitOneLevel(
  pair: IndentationPair,
  wanted: readonly string[],
  habits: () => IndentationHabits,
): IndentationMap | undefined {
  const shift = fitShift([pair], habits);
  const { written, found } = pair;
  if (written === found || !/^ +$/.test(written) || !/^ +$/.test(found)) return shift;
  const { level } = habits();
  const steps = wanted.map(({ length }) => Math.abs(length - written.length));
  const callLevel = (written.length * level) / found.length;
  const fitsLevels = callLevel >= 1 && [...steps, written.length].every((step) => step % callLevel === 0);
  if (!fitsLevels || Math.min(...steps) === level) return shift;
  if (steps.every((step) => step % level === 0)) return undefined;
  return (text) => (text.includes("\t") ? undefined : " ".repeat((text.length / callLevel) * level));
}

/** Learns the characters that every line has more or fewer. */
function fitShift(
  pairs: readonly IndentationPair[],
  habits: () => IndentationHabits,
): IndentationMap | undefined {
  const { written, found } = pairs[0] ?? { written: "", found: "" };
  const isMixed = (text: string) => text.includes(" ") && text.includes("\t");
  const mayMix = () => pairs.some((pair) => isMixed(pair.found)) || habits().mixes;
  if (found.endsWith(written)) {
    const more = found.slice(0, found.length - written.length);
    if (!pairs.every((pair) => pair.found === more + pair.written)) return undefined;
    // A single blank is not a level: it precedes the star of a comment.
    return (text) =>
      !/^\t* $/.test(text) && more !== "" && isMixed(more + text) && !mayMix() ? undefined : more + text;
  }
  const fewer = written.slice(0, written.length - found.length);
  if (!pairs.every((pair) => pair.written === fewer + pair.found)) return undefined;
  return (text) => (text.startsWith(fewer) ? text.slice(fewer.length) : undefined);
}

/** Learns tabs for spaces, or the reverse, where all pairs have the same width or a constant difference. */
function fitTabs(pairs: readonly IndentationPair[], wanted: readonly string[]): IndentationMap | undefined {
  const isAboutTabs = pairs.some(
    ({ written, found }) => written.includes("\t") !== found.includes("\t") || /[^ \t]/.test(written),
  );
  if (!isAboutTabs) return undefined;
  const level = sizeOfLevel([...pairs.flatMap(({ written, found }) => [written, found]), ...wanted]);
  const sizes = [4, 2, 8, 3, level].filter((size) => size > 0);
  const shifts = sizes.map((size) => constantShift(pairs, size));
  const fitting = sizes.filter((_, index) => shifts[index] !== undefined);
  const unshifted = sizes.filter((_, index) => shifts[index] === 0);
  const size = unshifted.length === 1 ? unshifted[0] : (fitting.find((each) => each === level) ?? fitting[0]);
  if (size === undefined) return undefined;
  const shift = constantShift(pairs, size)!;
  const usesTabs = pairs.some(({ found }) => found.includes("\t"));
  return (text) => {
    const width = widthOf(text, size) + shift;
    if (width < 0) return undefined;
    return usesTabs ? "\t".repeat(width / size) + " ".repeat(width % size) : " ".repeat(width);
  };
}

/** Learns another level size in spaces, for example two spaces in the call for four in the file. */
function fitLevels(
  pairs: readonly IndentationPair[],
  habits: () => IndentationHabits,
): IndentationMap | undefined {
  if (pairs.some(({ written, found }) => (written + found).includes("\t"))) return undefined;
  const sorted = pairs.toSorted((left, right) => left.written.length - right.written.length);
  const [low, high] = [sorted[0], sorted.at(-1)];
  if (!low || !high || high.written.length === low.written.length) return undefined;
  const scale = (high.found.length - low.found.length) / (high.written.length - low.written.length);
  const lengthFor = (length: number) => low.found.length + (length - low.written.length) * scale;
  const isWhole = lengthFor(0) % (habits().level || 1) === 0;
  if (!scales.includes(scale) || !isWhole) return undefined;
  if (!pairs.every(({ written, found }) => lengthFor(written.length) === found.length)) return undefined;
  return (text) => {
    const length = lengthFor(text.length);
    return !text.includes("\t") && Number.isInteger(length) && length >= 0 ? " ".repeat(length) : undefined;
  };
}

const scales: readonly number[] = [2, 4, 1 / 2, 1 / 4];

function constantShift(pairs: readonly IndentationPair[], size: number): number | undefined {
  const shifts = pairs.map(({ written, found }) => widthOf(found, size) - widthOf(written, size));
  return shifts.every((shift) => shift === shifts[0]) ? (shifts[0] ?? 0) : undefined;
}

function widthOf(indentation: string, size: number): number {
  let width = 0;
  for (let index = 0; index < indentation.length; index += 1)
    width += indentation[index] === "\t" ? size - (width % size) : 1;
  return width;
}

/** Returns the greatest common divisor of all indentations in spaces. */
function sizeOfLevel(indentations: readonly string[]): number {
  const widths = indentations
    .filter((text) => text !== "" && !text.includes("\t"))
    .map(({ length }) => length);
  return widths.reduce(greatestCommonDivisor, 0);
}

function greatestCommonDivisor(left: number, right: number): number {
  return right === 0 ? left : greatestCommonDivisor(right, left % right);
}

interface IndentationHabits {
  /** Columns of one level of spaces; 0 when nothing is indented. */
  readonly level: number;
  /** Whether some lines are indented by tabs and then spaces. */
  readonly mixes: boolean;
}

const maxLines = 5_000;

export function indentationHabits(lines: LineTable): IndentationHabits {
  const habits = known.get(lines) ?? learnHabits(lines);
  known.set(lines, habits);
  return habits;
}

const known = new WeakMap<LineTable, IndentationHabits>();

function learnHabits(lines: LineTable): IndentationHabits {
  const steps = new Map<number, number>();
  let previous = 0;
  let mixes = false;
  for (let line = 0; line < maxLines && lines.hasLines(line + 1); line += 1) {
    const text = lines.text(line);
    const { length } = indentationOf(text);
    if (length === text.length) continue;
    mixes ||= /^\t+ /.test(text);
    const step = text.startsWith("\t") ? 0 : length - previous;
    if (step > 1) steps.set(step, (steps.get(step) ?? 0) + 1);
    previous = length;
  }
  const [commonest] = [...steps].sort((left, right) => right[1] - left[1] || left[0] - right[0]);
  return { level: commonest?.[0] ?? 0, mixes };
}
