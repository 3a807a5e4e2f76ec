import { asWholeLines, type Block } from "./block.ts";
import { insertionPoint } from "./insertion-point.ts";
import type { Finding } from "./locate.ts";
import { isShifted, isSingle, type Match } from "./match.ts";
import { compareAt, partialPlaces } from "./places.ts";
import { findMatches } from "./search.ts";
import type { Source } from "./source.ts";
import { findWithStaleLine, hasRival } from "./stale-line.ts";
import { overlooksContent } from "./tiers.ts";
import { type Unwrapped, unwrappings } from "./unwrap.ts";

/** The first unwrapping that gives the file's own text; else the first that gives it with some tolerance. */
export function findUnwrapped(source: Source, block: Block): Finding | undefined {
  let tolerant: Finding | undefined;
  let unshifted: Finding | undefined;
  for (const { block: inner, note, endsFile, outer, undo } of unwrappings(block)) {
    if (inner.oldLines.length === 0) return { block: inner, matches: [insertionPoint(source, inner)] };
    const matches = findMatches(source, inner).filter(
      (match) => !endsFile || endsAlone(source, block, inner, match),
    );
    const [first] = matches;
    if (!first || (outer && overlooksContent(first.tier) && isSingle(inner))) continue;
    if (outer && matches.some((match) => isWholeElsewhere(source, outer, match))) continue;
    const finding = { block: inner, matches, tier: "unwrapped" as const, note, undo };
    if (!overlooksContent(first.tier)) return finding;
    // Of tolerant readings one that leaves indentation alone.
    if (first.tier === "glyphs" && !isShifted(source, inner, first.line)) unshifted ??= finding;
    tolerant ??= finding;
  }
  return unshifted ?? tolerant;
}

/** Whether a block without its last line ends the file, and no other place has nearly all of its lines. */
function endsAlone(source: Source, block: Block, inner: Block, match: Match): boolean {
  return (
    isLast(source, inner, match) &&
    !hasRival(block, compareAt(source, block, match.line), partialPlaces(source, block))
  );
}

/**
 * Whether a place that has the blank lines which this one lacks may be meant: all others stand there too, or all but
 * one that was changed, removed or added in between.
 */
function isWholeElsewhere(
  source: Source,
  { block, blankLinesBefore }: NonNullable<Unwrapped["outer"]>,
  match: Match,
): boolean {
  const { line, agreeing, differing } = compareAt(source, block, match.line - blankLinesBefore);
  return partialPlaces(source, block).some((other) => {
    if (other.line === line || differing.some((index) => other.differing.includes(index))) return false;
    const shifts = [other.line - 1, other.line, other.line + 1];
    const standing = new Set(shifts.flatMap((shifted) => compareAt(source, block, shifted).agreeing));
    return standing.size >= Math.max(2, agreeing.length - 1);
  });
}

function isLast({ lines }: Source, { oldLines }: Block, { line }: Match): boolean {
  return line + oldLines.length === lines.count;
}

/** The place where all lines stand but one, of the block as it is or unwrapped. */
export function findStale(source: Source, block: Block): readonly Finding[] {
  const whole = asWholeLines(block);
  if (!whole) return [];
  const readings = [{ block: whole, note: undefined, endsFile: false }, ...unwrappings(whole)];
  for (const { block: inner, note, endsFile } of readings) {
    const match = findWithStaleLine(source, inner);
    if (match && endsFile && !isLast(source, inner, match)) continue;
    const stale = "one context line differs from the file, which keeps its own";
    if (match) {
      return [
        {
          block: inner,
          matches: [match],
          tier: "stale-line",
          note: note === undefined ? stale : `${note}; ${stale}`,
        },
      ];
    }
  }
  return [];
}
