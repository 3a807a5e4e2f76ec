import type { IndentationHabits } from "./indentation-habits.ts";

/** How one line is indented in the call and in the file. */
export interface IndentationPair {
  readonly written: string;
  readonly found: string;
}

/** Writes an indentation of the call as the file would; undefined where that cannot be known. */
export type IndentationMap = (written: string) => string | undefined;

/**
 * Learns from lines found in the file how the call's indentation translates: a level seen before as it was there, else
 * a block shifted as a whole, tabs against spaces, levels of another size. Undefined when the pairs contradict each
 * other. `wanted` are the indentations that will be asked for; they show the size of a level. `habits` are the file's.
 */
export function fitIndentation(
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
    return firstDefined(maps, written);
  };
}

function firstDefined(maps: readonly (IndentationMap | undefined)[], written: string): string | undefined {
  for (const map of maps) {
    const found = map?.(written);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * One level may be shifted, or be of another size: the file's own levels tell. A shift keeps the steps between levels,
 * which are mostly a single one; undefined where a step could be one of the call's levels as well as two of the file's.
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

/** The same characters more, or fewer, on every line. */
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
    // A single blank is no level, but stands before the star of a comment.
    return (text) =>
      !/^\t* $/.test(text) && more !== "" && isMixed(more + text) && !mayMix() ? undefined : more + text;
  }
  const fewer = written.slice(0, written.length - found.length);
  if (!pairs.every((pair) => pair.written === fewer + pair.found)) return undefined;
  return (text) => (text.startsWith(fewer) ? text.slice(fewer.length) : undefined);
}

/** Tabs on one side, spaces on the other: the same width everywhere, or everywhere as much more or less. */
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

/** Levels of another size on both sides, spaces only: two in the call for four in the file. */
function fitLevels(
  pairs: readonly IndentationPair[],
  habits: () => IndentationHabits,
): IndentationMap | undefined {
  if (pairs.some(({ written, found }) => (written + found).includes("\t"))) return undefined;
  const low = pairs.reduce(
    (least, pair) => (pair.written.length < least.written.length ? pair : least),
    pairs[0]!,
  );
  const high = pairs.reduce(
    (most, pair) => (pair.written.length > most.written.length ? pair : most),
    pairs[0]!,
  );
  if (!low || high.written.length === low.written.length) return undefined;
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

/** Levels of two, four and eight columns. */
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

/** The largest step that all indentations in spaces are made of. */
function sizeOfLevel(indentations: readonly string[]): number {
  const widths = indentations
    .filter((text) => text !== "" && !text.includes("\t"))
    .map(({ length }) => length);
  return widths.reduce(greatestCommonDivisor, 0);
}

function greatestCommonDivisor(left: number, right: number): number {
  return right === 0 ? left : greatestCommonDivisor(right, left % right);
}
