import type { Block } from "../block.ts";
import type { Run } from "../diff-runs.ts";
import { edgeTier, type Match } from "../match/match-lines.ts";
import { linesWith, longestWord } from "../match/search.ts";
import { isBlankLine, looser, type TierName, tierOfLines, unitsOf } from "../match/tiers.ts";
import type { Source } from "../source.ts";

/** A position that has some of a block's old lines. */
export interface PartialMatch {
  /** The file's line at the first old line; negative when the block begins before the file. */
  readonly line: number;
  /** The matching old lines, without blank ones. */
  readonly agreeing: readonly number[];
  readonly differing: readonly number[];
  readonly tier: TierName;
}

/** A line that occurs more often does not help to find the position. */
const maxOccurrences = 300;
const maxAnchors = 8;
const maxPartialMatches = 400;

/** Returns the positions that have at least one of the longest distinctive old lines, most similar first. */
export function partialMatches(source: Source, block: Block): readonly PartialMatch[] {
  const lines = new Set<number>();
  for (const { index, line } of anchorsOf(block)) {
    for (const found of linesLike(source, line)) lines.add(found - index);
    if (lines.size > maxPartialMatches) break;
  }
  return [...lines]
    .map((line) => compareAt(source, block, line))
    .sort((left, right) => right.agreeing.length - left.agreeing.length || left.line - right.line);
}

/** Returns the lines of the file that match `wanted` with some tolerance; none when there are too many. */
function linesLike(source: Source, wanted: string): readonly number[] {
  const known = linesKnown.get(source) ?? new Map<string, readonly number[]>();
  linesKnown.set(source, known);
  const lines = known.get(wanted) ?? findLinesLike(source, wanted);
  known.set(wanted, lines);
  return lines;
}

/** A cache, because the unwrappings of a block share most of its lines. */
const linesKnown = new WeakMap<Source, Map<string, readonly number[]>>();

function findLinesLike(source: Source, wanted: string): readonly number[] {
  for (const anchor of [wanted.trim(), longestWord([wanted])?.text ?? ""]) {
    const lines: number[] = [];
    let tries = 0;
    for (const line of linesWith(source, anchor)) {
      if (tierOfLines(wanted, source.lines.text(line)) !== undefined) lines.push(line);
      tries += 1;
      if (lines.length > maxOccurrences || tries > 5 * maxOccurrences) return [];
    }
    if (lines.length > 0) return lines;
  }
  return [];
}

const maxWords = 8;
const maxHits = 200;

/** Maps the lines of the file that share words with a text to the number of these words, without frequent words. */
export function linesSharingWords(source: Source, text: string): ReadonlyMap<number, number> {
  const words = new Set(text.match(/[\p{L}\p{N}_]{3,}/gu));
  const shared = new Map<number, number>();
  for (const word of [...words].sort((left, right) => right.length - left.length).slice(0, maxWords)) {
    const lines = new Set<number>();
    for (const line of linesWith(source, word)) {
      lines.add(line);
      if (lines.size > maxHits) break;
    }
    if (lines.size <= maxHits) for (const line of lines) shared.set(line, (shared.get(line) ?? 0) + 1);
  }
  return shared;
}

/** Whether a line has at least four letters or digits, so that it is more than brackets. */
export function isDistinctive(line: string): boolean {
  return /(?:[\p{L}\p{N}][^\p{L}\p{N}]*){4}/u.test(line);
}

/** Returns the similarity of two lines, from 0 to 1. */
export function likeness(left: string, right: string): number {
  const words = new Map<string, number>();
  const leftKeys = keysOf(left);
  const rightKeys = keysOf(right);
  for (const key of leftKeys) words.set(key, (words.get(key) ?? 0) + 1);
  let common = 0;
  for (const key of rightKeys) {
    const count = words.get(key) ?? 0;
    if (count === 0) continue;
    words.set(key, count - 1);
    common += 1;
  }
  const total = leftKeys.length + rightKeys.length;
  return total === 0 ? 1 : (2 * common) / total;
}

export function compareAt(source: Source, block: Block, line: number): PartialMatch {
  const agreeing: number[] = [];
  const differing: number[] = [];
  let tier: TierName = "exact";
  block.oldLines.forEach((wanted, index) => {
    const isInside = line + index >= 0 && line + index < source.lines.count;
    const found = isInside ? source.lines.text(line + index) : undefined;
    const same = found === undefined ? undefined : edgeTier(block, index, found);
    const isVirtual =
      found === undefined && !block.wholeLines && wanted === "" && line + index === source.lines.count;
    if (same === undefined && !isVirtual) differing.push(index);
    else if (!isBlankLine(wanted)) agreeing.push(index);
    if (same !== undefined) tier = looser(tier, same);
  });
  return { line, agreeing, differing, tier };
}

function anchorsOf({ oldLines }: Block): readonly { index: number; line: string }[] {
  return oldLines
    .map((line, index) => ({ index, line }))
    .filter(({ line }) => isDistinctive(line))
    .sort((left, right) => right.line.trim().length - left.line.trim().length)
    .slice(0, maxAnchors);
}

function keysOf(line: string): readonly string[] {
  return unitsOf(line)
    .map(({ key }) => key)
    .filter((key) => key !== " ");
}

/**
 * Returns the only position that has all old lines except one context line. A position that is nearly as good rules it
 * out, unless the call gives the line number.
 */
export function findWithStaleLine(source: Source, block: Block): Match | undefined {
  if (!block.wholeLines || block.oldLines.length < 2 || movesLines(block)) return undefined;
  const candidates = partialMatches(source, block);
  const fitting = candidates.filter((partial) => fitsButOne(source, block, partial));
  const [partial] = fitting;
  if (!partial || fitting.length > 1) return undefined;
  const isNumbered = partial.line + 1 === block.hints.firstLine;
  if (!isNumbered && hasRival(block, partial, candidates)) return undefined;
  if (hasNearerLine(source, block, partial)) return undefined;
  return {
    tier: partial.tier,
    line: partial.line,
    start: source.lines.start(partial.line),
    end: source.lines.contentEnd(partial.line + block.oldLines.length - 1),
  };
}

/** Whether another position is nearly as good as `partial`, so that either may be the right one. */
export function hasRival(block: Block, partial: PartialMatch, candidates: readonly PartialMatch[]): boolean {
  return candidates.some((other) => other.line !== partial.line && comesNear(block, partial, other));
}

/** Whether another line of the file is more similar to the stale line than the line at its position. */
function hasNearerLine(source: Source, { oldLines }: Block, { line, differing }: PartialMatch): boolean {
  const [stale] = differing;
  const wanted = oldLines[stale!]!;
  const least = likeness(wanted, source.lines.text(line + stale!));
  const isOutside = (other: number) => other < line || other >= line + oldLines.length;
  return [...linesSharingWords(source, wanted).keys()].some(
    (other) => isOutside(other) && likeness(wanted, source.lines.text(other)) > least,
  );
}

/** Whether the block reorders lines, so that it is a guess which of them are context. */
function movesLines({ oldLines, newLines, runs }: Block): boolean {
  const removed = runs.flatMap(({ oldStart, oldEnd }) => oldLines.slice(oldStart, oldEnd));
  const added = runs.flatMap(({ newStart, newEnd }) => newLines.slice(newStart, newEnd));
  return added.some((line) => removed.includes(line));
}

function fitsButOne(
  source: Source,
  block: Block,
  { line, agreeing, differing, tier }: PartialMatch,
): boolean {
  const [stale] = differing;
  if (line < 0 || stale === undefined || differing.length > 1 || !block.isContext(stale)) return false;
  if (line + block.oldLines.length > source.lines.count) return false;
  // New lines at the edge of a block are positioned by the line next to them, so that line must not be stale.
  const last = block.oldLines.length - 1;
  const isEdge = ({ oldStart, oldEnd }: Run) =>
    oldStart === oldEnd && ((stale === 0 && oldStart === 0) || (stale === last && oldStart > last));
  if (block.runs.some(isEdge)) return false;
  const found = source.lines.text(line + stale);
  const added = block.runs.flatMap(({ newStart, newEnd }) => block.newLines.slice(newStart, newEnd));
  // If the file's line is one of the new lines, the edit is applied. If the stale line is one, it is not context.
  const isAdded = (line: string) => added.some((text) => text.trim() === line.trim());
  if (isAdded(found) || isAdded(block.oldLines[stale]!)) return false;
  const telling = agreeing.filter((index) => isDistinctive(block.oldLines[index]!)).length;
  if (telling >= 3) return likeness(block.oldLines[stale]!, found) >= 0.25;
  return telling === 2 && tier !== "indentation" && likeness(block.oldLines[stale]!, found) >= 0.5;
}

function comesNear(block: Block, partial: PartialMatch, other: PartialMatch): boolean {
  const stale = partial.differing[0]!;
  const count = other.agreeing.length;
  if (other.agreeing.includes(stale) && isDistinctive(block.oldLines[stale]!)) return true;
  const total = partial.agreeing.length + 1;
  if (count >= Math.max(Math.ceil(total / 2), total - 3)) return true;
  const removed = block.oldLines.flatMap((_, index) => (block.isContext(index) ? [] : [index]));
  const hasAllRemoved = removed.length > 0 && removed.every((index) => !other.differing.includes(index));
  return hasAllRemoved && count >= partial.agreeing.length - 2;
}
