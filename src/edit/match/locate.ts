import { ToolError } from "../../contract/error.ts";
import { asWholeLines, type Block, partOfHunk, withLines } from "../block.ts";
import {
  compareAt,
  findWithStaleLine,
  hasRival,
  isDistinctive,
  partialMatches,
} from "../diagnose/near-misses.ts";
import { isDone, newTextLine, notFound } from "../diagnose/not-found.ts";
import type { Source } from "../source.ts";
import { decide, insertionPoint, sectionsUnder } from "./decide.ts";
import { isShifted, isSingle, type Match } from "./match-lines.ts";
import { findMatches } from "./search.ts";
import { isBlankLine, overlooksContent, type TierName, trimTrailingBlanks } from "./tiers.ts";
import { type Unwrapped, unwrappings } from "./unwrap.ts";

interface Located {
  readonly block: Block;
  readonly match: Match;
  readonly tier: TierName;
  readonly note?: string | undefined;
}

/** The matches of a block by the first search that finds any. */
export interface Finding {
  readonly block: Block;
  readonly matches: readonly Match[];
  readonly tier?: TierName | undefined;
  readonly note?: string | undefined;
  /** Removes the level of escaping that was removed from the block. */
  readonly undo?: ((text: string) => string) | undefined;
}

/** Locates every block in the first of `sources`, the ways to read the file, that contains all of them. */
export function locateBlocks(
  sources: Iterable<Source>,
  blocks: readonly Block[],
): { source: Source; located: readonly Located[] } {
  let failure: { source: Source; block: Block } | undefined;
  for (const source of sources) {
    const findings: Finding[] = [];
    const missing = blocks.find((block) => {
      const found = findingsOf(source, block);
      findings.push(...found);
      return found.length === 0;
    });
    if (!missing) return { source, located: decideAll(source, shareEscaping(findings)) };
    failure ??= { source, block: missing };
  }
  throw failure
    ? notFound(failure.source, failure.block)
    : new ToolError("internal", "The file cannot be read as text");
}

/** Removes the extra escaping of one block also from the new lines of blocks whose old lines contain no escape. */
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
    ({ block, matches }) => matches.length === 1 && block.hints.firstLine !== undefined,
  );
  const shifts = new Set(numbered.map(({ block, matches }) => matches[0]!.line + 1 - block.hints.firstLine!));
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

/** Reports a header that is not in the file, because the model may mean another position. */
function lostHeader(source: Source, { hints: { headers, isHeading } }: Block): string | undefined {
  if (headers.length === 0 || isHeading || sectionsUnder(source, headers).length > 0) return undefined;
  return `the header "${headers.at(-1)}" is not in the file; its lines were found without it`;
}

/** Returns the tier to report: an exact match with carriage returns in the file counts as one with other line ends. */
function tierIn(source: Source, { oldLines, lineEnds }: Block, { tier, line }: Match): TierName {
  const { lines, hasCarriageReturns } = source;
  if (tier !== "exact" || !hasCarriageReturns || lineEnds) return tier;
  return oldLines.some((_, index) => lines.lineEnd(line + index).startsWith("\r")) ? "line-ends" : tier;
}

/** Returns the matches of a block: one finding, none, or one for each part of a block that is several hunks in one. */
export function findingsOf(source: Source, block: Block): readonly Finding[] {
  if (block.oldLines.length === 0) return [{ block, matches: [insertionPoint(source, block)] }];
  const matches = findMatches(source, block);
  if (matches[0]?.tier === "exact") return [{ block, matches }];
  const undamaged = withoutTotalDamage(block);
  if (undamaged)
    return findingsOf(source, undamaged.block).map((finding) => ({ tier: undamaged.tier, ...finding }));
  if (matches.length > 0 && !overlooksContent(matches[0]!.tier)) return [{ block, matches }];
  const tolerant = matches.length > 0 ? { block, matches } : findUnwrapped(source, block);
  if (tolerant) {
    if (isDone(source, tolerant.block, tolerant.matches)) return [];
    refuseBetterMatch(source, tolerant);
    return [tolerant];
  }
  // If the whole new text is in the file, the edit is applied, and a similar position is the wrong one.
  if (newTextLine(source, block) !== undefined) return [];
  const parts = findInParts(source, block);
  if (parts.length === 0) return findStale(source, block);
  const note = "read as separate hunks";
  return parts.map((part) => ({ block: part.block, matches: [part.match], tier: "unwrapped", note }));
}

/** Refuses a match with other indentation if another position has all lines exactly, except one line to remove. */
function refuseBetterMatch(source: Source, { block, matches }: Finding): void {
  if (matches[0]!.tier !== "indentation") return;
  const rival = partialMatches(source, block).find(
    ({ line, agreeing, differing, tier }) =>
      differing.length === 1 &&
      !block.isContext(differing[0]!) &&
      agreeing.filter((index) => isDistinctive(block.oldLines[index]!)).length > 1 &&
      !overlooksContent(tier) &&
      !matches.some((match) => match.line === line),
  );
  if (!rival) return;
  const message = `${source.path}: ${block.name} matches line ${matches[0]!.line + 1} with other indentation, and line ${rival.line + 1} exactly except for one line`;
  throw new ToolError("ambiguous-match", message, {
    hint: "Read both positions again and copy the old lines of the right one.",
  });
}

/** Returns the first unwrapping whose text is exactly in the file, else the first that matches with tolerance. */
function findUnwrapped(source: Source, block: Block): Finding | undefined {
  let tolerant: Finding | undefined;
  let unshifted: Finding | undefined;
  for (const { block: inner, note, endsFile, outer, fenced, undo } of unwrappings(block)) {
    if (inner.oldLines.length === 0) return { block: inner, matches: [insertionPoint(source, inner)] };
    const matches = findMatches(source, inner).filter(
      (match) => !endsFile || endsAlone(source, block, inner, match),
    );
    const [first] = matches;
    if (!first || (outer && overlooksContent(first.tier) && isSingle(inner))) continue;
    if (outer && matches.some((match) => mayMatchWithBlankLines(source, outer, match))) continue;
    if (fenced && matches.some((match) => mayMatchWithFence(source, fenced, match))) continue;
    const finding = { block: inner, matches, tier: "unwrapped" as const, note, undo };
    if (!overlooksContent(first.tier)) return finding;
    // Of the tolerant matches, the first with the same indentation wins.
    if (first.tier === "glyphs" && !isShifted(source, inner, first.line)) unshifted ??= finding;
    tolerant ??= finding;
  }
  return unshifted ?? tolerant;
}

/** Whether the fence may belong to the file: another position has a line of it, and as many lines of the block. */
function mayMatchWithFence(source: Source, fenced: Block, match: Match): boolean {
  const here = compareAt(source, fenced, match.line - 1);
  const ends = [0, fenced.oldLines.length - 1];
  const withFence = partialMatches(source, fenced).filter(({ agreeing }) =>
    ends.some((index) => agreeing.includes(index)),
  );
  return hasRival(fenced, here, withFence);
}

/** Whether a block without its last line ends the file, and no other position has nearly all of its lines. */
function endsAlone(source: Source, block: Block, inner: Block, match: Match): boolean {
  return (
    isLast(source, inner, match) &&
    !hasRival(block, compareAt(source, block, match.line), partialMatches(source, block))
  );
}

/**
 * Whether another position may be the right one, because it has the blank lines that are missing here and all other
 * lines except at most one.
 */
function mayMatchWithBlankLines(
  source: Source,
  { block, blankLinesBefore }: NonNullable<Unwrapped["outer"]>,
  match: Match,
): boolean {
  const { line, agreeing, differing } = compareAt(source, block, match.line - blankLinesBefore);
  return partialMatches(source, block).some((other) => {
    if (other.line === line || differing.some((index) => other.differing.includes(index))) return false;
    const shifts = [other.line - 1, other.line, other.line + 1];
    const present = new Set(shifts.flatMap((shifted) => compareAt(source, block, shifted).agreeing));
    return present.size >= Math.max(2, agreeing.length - 1);
  });
}

function isLast({ lines }: Source, { oldLines }: Block, { line }: Match): boolean {
  return line + oldLines.length === lines.count;
}

function findStale(source: Source, block: Block): readonly Finding[] {
  const whole = asWholeLines(block);
  if (!whole) return [];
  const readings = [{ block: whole, note: undefined, endsFile: false }, ...unwrappings(whole)];
  for (const { block: inner, note, endsFile } of readings) {
    const match = findWithStaleLine(source, inner);
    if (!match || (endsFile && !isLast(source, inner, match))) continue;
    const notes = [note, "one context line differs from the file, which keeps its own"];
    const joined = notes.filter((each) => each !== undefined).join("; ");
    return [{ block: inner, matches: [match], tier: "stale-line", note: joined }];
  }
  return [];
}

/**
 * Returns the block without damage that every line has, old and new: trailing blanks, or unusual spaces instead of
 * plain ones. Returns undefined when there is no such damage.
 */
function withoutTotalDamage(block: Block): { block: Block; tier: TierName } | undefined {
  const filled = [...block.oldLines, ...block.newLines].filter((line) => !isBlankLine(line));
  if (filled.length === 0) return undefined;
  const isPadded = filled.every((line) => trimTrailingBlanks(line) !== line);
  const whole = isPadded ? asWholeLines(block) : undefined;
  if (whole) return { block: withEach(whole, trimTrailingBlanks), tier: "trailing-blanks" };
  const isOdd = filled.some((line) => plain(line) !== line) && !filled.some((line) => line.includes(" "));
  return isOdd ? { block: withEach(block, plain), tier: "glyphs" } : undefined;
}

function withEach(block: Block, change: (line: string) => string): Block {
  return withLines(block, block.oldLines.map(change), block.newLines.map(change));
}

/** Replaces no-break, fixed-width and ideographic spaces by plain spaces. */
function plain(line: string): string {
  return line.replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " ");
}

interface Part {
  readonly block: Block;
  readonly match: Match;
  readonly start: number;
  readonly end: number;
}

/**
 * Splits a block that is several hunks without their @@ lines. Each part must match exactly once and is as long as
 * possible.
 */
function findInParts(source: Source, block: Block): readonly Part[] {
  if (!block.wholeLines || block.runs.length < 2) return [];
  // Every attempt searches the file once.
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
    // The next part must begin with a context line.
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

/** Returns the end of the most old lines from `start` on that are together in the file, by binary search. */
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
 * Whether the parts are separate hunks: in order, with text between them, each with context, and none next to lines of
 * another part.
 */
function areSeparate(source: Source, block: Block, parts: readonly Part[]): boolean {
  return parts.every(({ match, start, end }, index) => {
    const isBelow = index === 0 || hasTextBetween(source, parts[index - 1]!.match, match);
    const hasContext = block.oldLines.some(
      (line, each) => start <= each && each < end && block.isContext(each) && isDistinctive(line),
    );
    const { agreeing } = compareAt(source, block, match.line - start);
    const hasOthers = agreeing.some(
      (each) => (each < start || each >= end) && isDistinctive(block.oldLines[each]!),
    );
    return isBelow && hasContext && !hasOthers;
  });
}

/** Whether text other than brackets is between two matches. A line of brackets may be an omitted context line. */
function hasTextBetween({ utf8 }: Source, upper: Match, lower: Match): boolean {
  return upper.end < lower.start && isDistinctive(utf8.slice(upper.end, lower.start));
}
