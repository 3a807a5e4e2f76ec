import { ToolError } from "../contract/error.ts";
import { isDone, newTextLine } from "./already-done.ts";
import { type Block, withLines } from "./block.ts";
import { decide } from "./decide.ts";
import { notFound } from "./diagnose.ts";
import { findStale, findUnwrapped } from "./find-unwrapped.ts";
import { insertionPoint } from "./insertion-point.ts";
import type { Match } from "./match.ts";
import { findInParts } from "./parts.ts";
import { isTelling, partialPlaces } from "./places.ts";
import { findMatches } from "./search.ts";
import { sectionsUnder } from "./sections.ts";
import type { Source } from "./source.ts";
import { overlooksContent, type TierName } from "./tiers.ts";
import { withoutTotalDamage } from "./total-damage.ts";

/** Where a block belongs, the block as it was finally read, and how it was found. */
export interface Located {
  readonly block: Block;
  readonly match: Match;
  readonly tier: TierName;
  readonly note?: string | undefined;
}

/** All places by the first way of looking that finds any. */
export interface Finding {
  readonly block: Block;
  readonly matches: readonly Match[];
  readonly tier?: TierName | undefined;
  readonly note?: string | undefined;
  /** Removes the level of escaping that had to be removed. */
  readonly undo?: ((text: string) => string) | undefined;
}

/** Places every block of one file. `sources` are ways to read the file; the first that has them all counts. */
export function locateBlocks(
  sources: Iterable<Source>,
  blocks: readonly Block[],
): { source: Source; located: readonly Located[] } {
  let failure: { source: Source; block: Block } | undefined;
  for (const source of sources) {
    const findings: Finding[] = [];
    const missing = blocks.find((block) => {
      const found = look(source, block);
      findings.push(...found);
      return found.length === 0;
    });
    if (!missing) return { source, located: decideAll(source, shareEscaping(findings)) };
    failure ??= { source, block: missing };
  }
  throw failure
    ? notFound(failure.source, failure.block)
    : new ToolError("internal", "No way to read the file");
}

/** Text that is escaped once too often in one block is so in all; one without an escape to find cannot show it. */
export function shareEscaping<Each extends Finding>(findings: readonly Each[]): readonly Each[] {
  const undo = findings.find((finding) => finding.undo)?.undo;
  if (!undo) return findings;
  return findings.map((finding) => {
    const { oldLines, newLines } = finding.block;
    const text = oldLines.join("\n");
    if (finding.undo || undo(text) !== text) return finding;
    return { ...finding, block: withLines(finding.block, oldLines, undo(newLines.join("\n")).split("\n")) };
  });
}

function decideAll(source: Source, findings: readonly Finding[]): readonly Located[] {
  const numbered = findings.filter(
    ({ block, matches }) => matches.length === 1 && block.place.firstLine !== undefined,
  );
  const shifts = new Set(numbered.map(({ block, matches }) => matches[0]!.line + 1 - block.place.firstLine!));
  if (shifts.size === 0) shifts.add(0);
  return findings.map(({ block, matches, tier, note }) => {
    const match = block.oldLines.length === 0 ? matches[0]! : decide(source, block, matches, shifts);
    const notes = [note, lostHeader(source, block)].filter((each) => each !== undefined);
    return {
      block,
      match,
      tier: tier ?? tierIn(source, block, match),
      note: notes.length > 0 ? notes.join("; ") : undefined,
    };
  });
}

/** A header that helped nothing is told, as its author may have another place in mind. */
function lostHeader(source: Source, { place: { headers, isHeading } }: Block): string | undefined {
  if (headers.length === 0 || isHeading || sectionsUnder(source, headers).length > 0) return undefined;
  return `the header "${headers.at(-1)}" is not in the file; its lines were found without it`;
}

/** A patch does not say how lines end, so other line ends than its own are found exactly; still it is told. */
function tierIn(source: Source, { oldLines, lineEnds }: Block, { tier, line }: Match): TierName {
  const { lines, hasCarriageReturns } = source;
  if (tier !== "exact" || !hasCarriageReturns || lineEnds) return tier;
  return oldLines.some((_, index) => lines.lineEnd(line + index).startsWith("\r")) ? "line-ends" : tier;
}

/** Where a block may be; empty when nowhere, several when it is to be read as several. */
export function look(source: Source, block: Block): readonly Finding[] {
  if (block.oldLines.length === 0) return [{ block, matches: [insertionPoint(source, block)] }];
  const matches = findMatches(source, block);
  if (matches[0]?.tier === "exact") return [{ block, matches }];
  const undamaged = withoutTotalDamage(block);
  if (undamaged)
    return look(source, undamaged.block).map((finding) => ({ tier: undamaged.tier, ...finding }));
  if (matches.length > 0 && !overlooksContent(matches[0]!.tier)) return [{ block, matches }];
  const tolerant = matches.length > 0 ? { block, matches } : findUnwrapped(source, block);
  if (tolerant) {
    if (isDone(source, tolerant.block, tolerant.matches)) return [];
    refuseDrifted(source, tolerant);
    return [tolerant];
  }
  // Where the new text is whole, it is done, and a place that is only like the old one another.
  if (newTextLine(source, block) !== undefined) return [];
  const parts = findInParts(source, block);
  if (parts.length === 0) return findStale(source, block);
  const note = "read as separate hunks";
  return parts.map((part) => ({ block: part.block, matches: [part.match], tier: "unwrapped", note }));
}

/** Where another place has all lines but a removed one as they are written, that is meant, and the line has drifted. */
function refuseDrifted(source: Source, { block, matches }: Finding): void {
  if (matches[0]!.tier !== "indentation") return;
  const rival = partialPlaces(source, block).find(
    ({ line, agreeing, differing, tier }) =>
      differing.length === 1 &&
      !block.isContext(differing[0]!) &&
      agreeing.filter((index) => isTelling(block.oldLines[index]!)).length > 1 &&
      !overlooksContent(tier) &&
      !matches.some((match) => match.line === line),
  );
  if (!rival) return;
  const message = `${source.path}: ${block.name} fits at line ${matches[0]!.line + 1}, but only with other indentation, and at line ${rival.line + 1} all of its lines but one stand as they are`;
  throw new ToolError("ambiguous-match", message, {
    hint: "Read both places again and copy the old lines of the right one.",
  });
}
