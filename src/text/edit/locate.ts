import { ToolError } from "../../contract/error.ts";
import { asWholeLines, type Block, partOfHunk } from "./block.ts";
import { decide, listLines } from "./decide.ts";
import { notFound } from "./diagnose.ts";
import type { Match } from "./match.ts";
import { findMatches } from "./search.ts";
import { sectionsUnder } from "./sections.ts";
import type { Source } from "./source.ts";
import { findWithStaleLine } from "./stale-line.ts";
import type { TierName } from "./tiers.ts";
import { unwrappings } from "./unwrap.ts";

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
    if (!missing) return { source, located: decideAll(source, findings) };
    failure ??= { source, block: missing };
  }
  throw failure
    ? notFound(failure.source, failure.block)
    : new ToolError("internal", "No way to read the file");
}

function decideAll(source: Source, findings: readonly Finding[]): readonly Located[] {
  const numbered = findings.filter(
    ({ block, matches }) => matches.length === 1 && block.place.firstLine !== undefined,
  );
  const shifts = new Set(numbered.map(({ block, matches }) => matches[0]!.line + 1 - block.place.firstLine!));
  if (shifts.size === 0) shifts.add(0);
  return findings.map(({ block, matches, tier, note }) => {
    const match = block.oldLines.length === 0 ? matches[0]! : decide(source, block, matches, shifts);
    return { block, match, tier: tier ?? tierIn(source, block, match), note };
  });
}

/** A patch does not say how lines end, so other line ends than its own are found exactly; still it is told. */
function tierIn({ lines }: Source, { oldLines }: Block, { tier, line }: Match): TierName {
  if (tier !== "exact") return tier;
  return oldLines.some((_, index) => lines.lineEnd(line + index).startsWith("\r")) ? "line-ends" : tier;
}

/** Where a block may be; empty when nowhere, several when it is to be read as several. */
export function look(source: Source, block: Block): readonly Finding[] {
  if (block.oldLines.length === 0) return [{ block, matches: [insertionPoint(source, block)] }];
  const matches = findMatches(source, block);
  if (matches.length > 0) return [{ block, matches }];
  for (const { block: inner, note } of unwrappings(block)) {
    if (inner.oldLines.length === 0) return [{ block: inner, matches: [insertionPoint(source, inner)] }];
    const found = findMatches(source, inner);
    if (found.length > 0) return [{ block: inner, matches: found, tier: "unwrapped", note }];
  }
  const parts = findInParts(source, block);
  return parts.length > 0 ? parts : findStale(source, block);
}

/** Two hunks in one, the @@ between them forgotten: each part on its own has to be in one place only. */
function findInParts(source: Source, block: Block): readonly Finding[] {
  const { runs, oldLines } = block;
  if (!block.wholeLines) return [];
  for (let run = 1; run < runs.length; run += 1) {
    for (let at = runs[run - 1]!.oldEnd; at <= runs[run]!.oldStart; at += 1) {
      const upper = partOfHunk(block, { start: 0, end: at, firstRun: 0, lastRun: run });
      const lower = partOfHunk(block, {
        start: at,
        end: oldLines.length,
        firstRun: run,
        lastRun: runs.length,
      });
      if (upper.oldLines.length === 0 || lower.oldLines.length === 0) continue;
      const above = findMatches(source, upper);
      if (above.length !== 1) continue;
      const below = findMatches(source, lower);
      const rest = below.length > 0 ? [{ block: lower, matches: below }] : findInParts(source, lower);
      if (rest.length === 0 || rest.some(({ matches }) => matches.length !== 1)) continue;
      const note = "read as separate hunks";
      return [
        { block: upper, matches: above, tier: "unwrapped", note },
        ...rest.map((part) => ({ ...part, tier: "unwrapped" as const, note })),
      ];
    }
  }
  return [];
}

function findStale(source: Source, block: Block): readonly Finding[] {
  const whole = asWholeLines(block);
  if (!whole) return [];
  const readings = [{ block: whole, note: undefined }, ...unwrappings(whole)];
  for (const { block: inner, note } of readings) {
    const match = findWithStaleLine(source, inner);
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

/** Lines to add without any line around them: below their header, at the marked end, or into an empty file. */
function insertionPoint(source: Source, block: Block): Match {
  const { headers, endOfFile } = block.place;
  const { lines, path } = source;
  const at = (line: number): Match => ({
    tier: "exact",
    line,
    start: lines.start(line),
    end: lines.start(line),
  });
  if (lines.count === 0) return at(0);
  const sections = headers.length > 0 ? sectionsUnder(source, headers) : [];
  if (sections.length === 1) return at(sections[0]!.header + 1);
  if (sections.length > 1) {
    const places = listLines(sections.map(({ header }) => at(header)));
    throw new ToolError("ambiguous-match", `${path}: the header of ${block.name} stands at ${places}`, {
      hint: "Add a context line, or the header of the class around it as another @@ line before.",
    });
  }
  if (headers.length > 0) {
    throw new ToolError(
      "no-match",
      `${path}: the header of ${block.name} is not in the file: ${headers.at(-1)}`,
      {
        hint: "Add the line above or below the new lines as context.",
      },
    );
  }
  if (endOfFile) return at(lines.count);
  throw new ToolError("invalid-input", `${path}: ${block.name} only adds lines and does not say where`, {
    hint: "Add the line above or below the new lines as context, or end the hunk with `*** End of File`.",
  });
}
