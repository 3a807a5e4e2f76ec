import type { Block } from "./block.ts";
import { partOfHunk } from "./hunk.ts";
import type { Match } from "./match.ts";
import { compareAt, isTelling } from "./places.ts";
import { findMatches } from "./search.ts";
import type { Source } from "./source.ts";
import { overlooksContent } from "./tiers.ts";

/** A part of a hunk and where it is. */
export interface Part {
  readonly block: Block;
  readonly match: Match;
  /** Which old lines of the hunk it has. */
  readonly start: number;
  readonly end: number;
}

/**
 * Several hunks in one, the @@ between them forgotten: as many lines as stand together from the first on, then the rest
 * the same way. Each part on its own has to be in one place only.
 */
export function findInParts(source: Source, block: Block): readonly Part[] {
  if (!block.wholeLines || block.runs.length < 2) return [];
  // Every try looks through the file once.
  const budget = { tries: Math.min(100, Math.max(20, 50_000_000 / (source.utf8.length + 1))) };
  const parts = cut(source, block, { start: 0, run: 0 }, budget);
  return parts && areSeparate(source, block, parts) ? parts : [];
}

function cut(
  source: Source,
  block: Block,
  from: { readonly start: number; readonly run: number },
  budget: { tries: number },
): readonly Part[] | undefined {
  const { runs, oldLines } = block;
  const longest = longestPart(source, block, from.start, budget);
  if (longest === oldLines.length) {
    const rest = partAt(source, block, from, { end: longest, run: runs.length });
    return rest && [rest];
  }
  for (let run = runs.length - 1; run > from.run; run -= 1) {
    // The next hunk begins with context.
    const last = Math.min(runs[run]!.oldStart - 1, longest);
    for (let end = last; end >= runs[run - 1]!.oldEnd && end > from.start; end -= 1) {
      budget.tries -= 1;
      if (budget.tries < 0) return undefined;
      const upper = partAt(source, block, from, { end, run });
      const lower = upper && cut(source, block, { start: end, run }, budget);
      if (lower) return [upper, ...lower];
    }
  }
  return undefined;
}

/** Up to which old line all lines from `start` on stand together somewhere: where some do, fewer do too. */
function longestPart(source: Source, block: Block, start: number, budget: { tries: number }): number {
  let low = start;
  let high = block.oldLines.length;
  while (low < high && budget.tries > 0) {
    budget.tries -= 1;
    const middle = (low + high + 1) >>> 1;
    const isThere =
      findMatches(source, { ...block, oldLines: block.oldLines.slice(start, middle) }).length > 0;
    if (isThere) low = middle;
    else high = middle - 1;
  }
  return low;
}

function partAt(
  source: Source,
  block: Block,
  from: { readonly start: number; readonly run: number },
  to: { readonly end: number; readonly run: number },
): Part | undefined {
  const part = partOfHunk(block, { start: from.start, end: to.end, firstRun: from.run, lastRun: to.run });
  const matches = findMatches(source, part);
  const [match] = matches;
  return matches.length === 1 && !overlooksContent(match!.tier)
    ? { block: part, match: match!, start: from.start, end: to.end }
    : undefined;
}

/**
 * Whether parts are hunks of their own: one below the other with text between them, each with context, none with lines
 * of another part next to it. Otherwise they may be parts of one place and of its lookalike.
 */
function areSeparate(source: Source, block: Block, parts: readonly Part[]): boolean {
  return parts.every(({ match, start, end }, index) => {
    const isBelow = index === 0 || hasTextBetween(source, parts[index - 1]!.match, match);
    const hasContext = block.oldLines.some(
      (line, each) => start <= each && each < end && block.isContext(each) && isTelling(line),
    );
    const { agreeing } = compareAt(source, block, match.line - start);
    const hasOthers = agreeing.some(
      (each) => (each < start || each >= end) && isTelling(block.oldLines[each]!),
    );
    return isBelow && hasContext && !hasOthers;
  });
}

/** Brackets alone may be a context line that was left out. */
function hasTextBetween({ utf8 }: Source, upper: Match, lower: Match): boolean {
  return upper.end < lower.start && isTelling(utf8.slice(upper.end, lower.start));
}
