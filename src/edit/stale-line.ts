import type { Block } from "./block.ts";
import type { Run } from "./diff-runs.ts";
import type { Match } from "./match.ts";
import { isTelling, likeness, linesSharingWords, type PartialPlace, partialPlaces } from "./places.ts";
import type { Source } from "./source.ts";

/**
 * The place where all old lines stand but one, when that one is context and no other place comes near: a lookalike may
 * be the one that is meant, unless the call gives the number of the line. A line to be removed has to be there.
 */
export function findWithStaleLine(source: Source, block: Block): Match | undefined {
  if (!block.wholeLines || block.oldLines.length < 2 || movesLines(block)) return undefined;
  const places = partialPlaces(source, block);
  const fitting = places.filter((place) => fitsButOne(source, block, place));
  const [place] = fitting;
  if (!place || fitting.length > 1) return undefined;
  const isNumbered = place.line + 1 === block.place.firstLine;
  if (!isNumbered && hasRival(block, place, places)) return undefined;
  if (hasNearerLine(source, block, place)) return undefined;
  return {
    tier: place.tier,
    line: place.line,
    start: source.lines.start(place.line),
    end: source.lines.contentEnd(place.line + block.oldLines.length - 1),
  };
}

/** Whether another place is nearly as good as one that lacks a line of the block, so that it may be the one meant. */
export function hasRival(block: Block, place: PartialPlace, places: readonly PartialPlace[]): boolean {
  return places.some((other) => other.line !== place.line && comesNear(block, place, other));
}

/** Whether another line of the file is more like the stale one than that in its place. */
function hasNearerLine(source: Source, { oldLines }: Block, { line, differing }: PartialPlace): boolean {
  const [stale] = differing;
  const wanted = oldLines[stale!]!;
  const least = likeness(wanted, source.lines.text(line + stale!));
  const isOutside = (other: number) => other < line || other >= line + oldLines.length;
  return [...linesSharingWords(source, wanted).keys()].some(
    (other) => isOutside(other) && likeness(wanted, source.lines.text(other)) > least,
  );
}

/** Of lines that change places it is a guess which are context. */
function movesLines({ oldLines, newLines, runs }: Block): boolean {
  const removed = runs.flatMap(({ oldStart, oldEnd }) => oldLines.slice(oldStart, oldEnd));
  const added = runs.flatMap(({ newStart, newEnd }) => newLines.slice(newStart, newEnd));
  return added.some((line) => removed.includes(line));
}

function fitsButOne(
  source: Source,
  block: Block,
  { line, agreeing, differing, tier }: PartialPlace,
): boolean {
  const [stale] = differing;
  if (line < 0 || stale === undefined || differing.length > 1 || !block.isContext(stale)) return false;
  if (line + block.oldLines.length > source.lines.count) return false;
  // New lines at the edge of the block hang on the line next to them alone.
  const last = block.oldLines.length - 1;
  const isEdge = ({ oldStart, oldEnd }: Run) =>
    oldStart === oldEnd && ((stale === 0 && oldStart === 0) || (stale === last && oldStart > last));
  if (block.runs.some(isEdge)) return false;
  const found = source.lines.text(line + stale);
  const added = block.runs.flatMap(({ newStart, newEnd }) => block.newLines.slice(newStart, newEnd));
  // Where the file's line is a new one it is done already, and a stale line that is added again is no context.
  const isAdded = (line: string) => added.some((text) => text.trim() === line.trim());
  if (isAdded(found) || isAdded(block.oldLines[stale]!)) return false;
  const telling = agreeing.filter((index) => isTelling(block.oldLines[index]!)).length;
  if (telling >= 3) return likeness(block.oldLines[stale]!, found) >= 0.25;
  return telling === 2 && tier !== "indentation" && likeness(block.oldLines[stale]!, found) >= 0.5;
}

function comesNear(block: Block, place: PartialPlace, other: PartialPlace): boolean {
  const stale = place.differing[0]!;
  const count = other.agreeing.length;
  if (other.agreeing.includes(stale) && isTelling(block.oldLines[stale]!)) return true;
  const total = place.agreeing.length + 1;
  if (count >= Math.max(Math.ceil(total / 2), total - 3)) return true;
  const removed = block.oldLines.flatMap((_, index) => (block.isContext(index) ? [] : [index]));
  const hasAllRemoved = removed.length > 0 && removed.every((index) => !other.differing.includes(index));
  return hasAllRemoved && count >= place.agreeing.length - 2;
}
