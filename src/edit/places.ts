import type { Block } from "./block.ts";
import { unitsOf } from "./glyphs.ts";
import { edgeTier } from "./match.ts";
import { linesWith, longestWord } from "./search.ts";
import type { Source } from "./source.ts";
import { isBlankLine, looser, type TierName, tierOfLines } from "./tiers.ts";

/** A place where some of a block's old lines stand. */
export interface PartialPlace {
  /** The file's line under the first old line; may lie before the file's first line. */
  readonly line: number;
  /** Which old lines stand there, blank ones left out. */
  readonly agreeing: readonly number[];
  readonly differing: readonly number[];
  readonly tier: TierName;
}

/** A line that occurs more often than this says nothing about the place. */
const maxOccurrences = 300;
const maxAnchors = 8;
const maxPlaces = 400;

/**
 * Places where at least one telling old line stands, the most alike first. Only the longest lines are looked for, each
 * once through the file, so a miss costs little however large file and block are.
 */
export function partialPlaces(source: Source, block: Block): readonly PartialPlace[] {
  const lines = new Set<number>();
  for (const { index, line } of anchorsOf(block)) {
    for (const found of linesLike(source, line)) lines.add(found - index);
    if (lines.size > maxPlaces) break;
  }
  return [...lines]
    .map((line) => compareAt(source, block, line))
    .sort((left, right) => right.agreeing.length - left.agreeing.length || left.line - right.line);
}

/** Lines of the file that are `wanted`, with some tolerance; none when there are too many. */
function linesLike(source: Source, wanted: string): readonly number[] {
  const known = linesKnown.get(source) ?? new Map<string, readonly number[]>();
  linesKnown.set(source, known);
  const lines = known.get(wanted) ?? findLinesLike(source, wanted);
  known.set(wanted, lines);
  return lines;
}

/** Blocks that are read in several ways have most lines in common. */
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

/** Lines of the file that have words in common with a text, and how many. Words that are there often do not count. */
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

/** Whether a line can be recognised by what it says: a few letters, not just brackets. */
export function isTelling(line: string): boolean {
  return /(?:[\p{L}\p{N}][^\p{L}\p{N}]*){4}/u.test(line);
}

/** How much two lines have in common, from 0 to 1. */
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

export function compareAt(source: Source, block: Block, line: number): PartialPlace {
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
    .filter(({ line }) => isTelling(line))
    .sort((left, right) => right.line.trim().length - left.line.trim().length)
    .slice(0, maxAnchors);
}

function keysOf(line: string): readonly string[] {
  return unitsOf(line)
    .map(({ key }) => key)
    .filter((key) => key !== " ");
}
