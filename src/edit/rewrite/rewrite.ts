import { ToolError } from "../../contract/error.ts";
import { type Block, wholeLinesBlock, withLines } from "../block.ts";
import { diffRuns, type Run } from "../diff-runs.ts";
import type { Match } from "../match/match-lines.ts";
import {
  foldGlyphs,
  indentationOf,
  isBlankLine,
  isTypographic,
  overlooksContent,
  trimTrailingBlanks,
  withPlainGlyphs,
} from "../match/tiers.ts";
import type { Source, Utf8Text } from "../source.ts";
import { type IndentationPair, indentAsTaught, indentationHabits, indentationPairs } from "./indentation.ts";
import { translate } from "./translate.ts";

/** Replaces the bytes `start` to `end` of a source's UTF-8 by `text`. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Returns the splices of a block at its match. Context keeps the file's bytes. New lines get the file's line ends, and
 * its indentation and glyphs where the match tolerated differences. `taught` are the indentations in other blocks.
 */
export function rewrite(
  source: Source,
  written: Block,
  match: Match,
  taught: readonly IndentationPair[] = [],
): readonly Splice[] {
  const startsInside = match.start > source.lines.start(match.line);
  const given = endsBeyond(source, written, match) ? withoutFinalLineEnd(written, startsInside) : written;
  const isSpelledAlike = match.tier === "exact" || match.tier === "line-ends";
  const block = isSpelledAlike ? given : withoutHabits(source, given, match);
  if (match.tier === "exact" && taught.length === 0)
    return splices(source, block, match, block.runs, block.newLines);
  const indentation = { taught, habits: () => indentationHabits(source.lines) };
  if (!overlooksContent(match.tier))
    return splices(source, block, match, block.runs, indentAsTaught(block, indentation));
  const found = foundLines(source, block, match);
  const spelling = spellingOfNewText(block, found);
  if (spelling === "file")
    return splices(source, block, match, diffRuns(found, block.newLines), block.newLines);
  const glyphs = match.tier === "glyphs";
  const newLines = translate(block, found, { startsInside, glyphs, indentation });
  if (spelling === "unclear" || !newLines) throw cannotIndent(source, block, match);
  return splices(source, block, match, block.runs, newLines);
}

/**
 * Removes from the block what the file does not have: typographic glyphs, if the file has none at all, and trailing
 * blanks, if the found lines have none.
 */
function withoutHabits(source: Source, block: Block, match: Match): Block {
  const { oldLines, newLines } = block;
  const isGlyphs =
    overlooksContent(match.tier) &&
    oldLines.some(isTypographic) &&
    !isTypographic(source.text.utf8.toString());
  const blanks = new Set(
    foundLines(source, block, match).map((found, index) =>
      trimTrailingBlanks(found) === found ? trailingBlanks(oldLines[index]!) : "",
    ),
  );
  if (!isGlyphs && ![...blanks].some(Boolean)) return block;
  const plain = (line: string) => {
    const ended = blanks.has(trailingBlanks(line)) ? trimTrailingBlanks(line) : line;
    return isGlyphs ? withPlainGlyphs(ended) : ended;
  };
  return withLines(block, oldLines.map(plain), newLines.map(plain));
}

function trailingBlanks(line: string): string {
  return line.slice(trimTrailingBlanks(line).length);
}

/** Returns the indentations, in the call and in the file, of blocks whose match tolerated differences. */
export function indentationTaught(
  source: Source,
  located: readonly { readonly block: Block; readonly match: Match }[],
): readonly IndentationPair[] {
  return located
    .filter(({ match }) => overlooksContent(match.tier))
    .flatMap(({ block, match }) => indentationPairs(block, foundLines(source, block, match)));
}

function foundLines(source: Source, block: Block, match: Match): readonly string[] {
  return block.oldLines.map((_, index) => foundText(source, block, match, index));
}

/** Whether the text to find ends with a line end that the file's last line does not have. */
function endsBeyond({ lines }: Source, { oldLines, wholeLines }: Block, { line }: Match): boolean {
  const isClosed = !wholeLines && oldLines.at(-1) === "" && oldLines.length > 1;
  return isClosed && line + oldLines.length > lines.count && lines.lineEnd(lines.count - 1) === "";
}

function withoutFinalLineEnd(block: Block, startsInside: boolean): Block {
  const oldLines = block.oldLines.slice(0, -1);
  const newLines = block.newLines.at(-1) === "" ? block.newLines.slice(0, -1) : block.newLines;
  return startsInside ? withLines(block, oldLines, newLines) : wholeLinesBlock(block, oldLines, newLines);
}

function foundText({ lines, utf8 }: Source, block: Block, match: Match, index: number): string {
  const line = match.line + index;
  if (line >= lines.count) return "";
  const start = index === 0 ? match.start : lines.start(line);
  const end = index === block.oldLines.length - 1 ? match.end : lines.contentEnd(line);
  return utf8.slice(start, Math.max(start, end));
}

function splices(
  source: Source,
  block: Block,
  match: Match,
  runs: readonly Run[],
  newLines: readonly string[],
): readonly Splice[] {
  return runs
    .map((run) => {
      const added = newLines.slice(run.newStart, run.newEnd);
      return reachesOpenEnd(source, block, match, run)
        ? spliceAtOpenEnd(source, block, match, run, added)
        : spliceLines(source, block, match, run, added);
    })
    .filter(({ start, end, text }) => changes(source.utf8, start, end, text));
}

function changes(utf8: Utf8Text, start: number, end: number, text: string): boolean {
  return text.length > end - start || utf8.slice(start, end) !== text;
}

function spliceLines(
  { lines }: Source,
  block: Block,
  match: Match,
  run: Run,
  added: readonly string[],
): Splice {
  const first = match.line + run.oldStart;
  const text = added.map((line, index) => line + lineEndFor(lines, block, match, run, index)).join("");
  return {
    start: run.oldStart === 0 ? match.start : lines.start(first),
    end: run.oldEnd === 0 ? match.start : lines.start(match.line + run.oldEnd),
    text,
  };
}

/** Makes a splice whose last line gets no line end, because the text ends inside its line or the file has none. */
function spliceAtOpenEnd(
  { lines, utf8 }: Source,
  block: Block,
  match: Match,
  run: Run,
  added: readonly string[],
): Splice {
  const first = match.line + run.oldStart;
  const lineEnds = added.map((_, index) => lineEndFor(lines, block, match, run, index));
  const endsInside = !block.wholeLines && run.oldEnd === block.oldLines.length;
  const end = endsInside ? match.end : utf8.length;
  const body = added.map((line, index) => (index === 0 ? line : lineEnds[index - 1] + line)).join("");
  const takesBreakBefore =
    (block.wholeLines ? first : run.oldStart) > 0 && (run.oldStart === run.oldEnd || added.length === 0);
  const isClosed = !endsInside && block.finalLineEnd === true && (added.length > 0 || takesBreakBefore);
  const closing = isClosed ? lines.lineEndNear(first) : "";
  if (!takesBreakBefore) {
    return { start: run.oldStart === 0 ? match.start : lines.start(first), end, text: body + closing };
  }
  const breakBefore = added.length === 0 ? "" : lines.lineEndNear(first - 1);
  const start = endsInside && run.oldStart === run.oldEnd ? end : lines.contentEnd(first - 1);
  return { start, end, text: breakBefore + body + closing };
}

function reachesOpenEnd({ lines }: Source, block: Block, match: Match, run: Run): boolean {
  if (!block.wholeLines && run.oldEnd === block.oldLines.length) return true;
  if (lines.start(match.line + run.oldEnd) < lines.utf8.length) return false;
  if (lines.count === 0) return block.finalLineEnd === false;
  return lines.lineEnd(lines.count - 1) === "" || block.finalLineEnd === false;
}

/** Returns the line end of a new line: that of the line it replaces, else that of the line above it. */
function lineEndFor(lines: Source["lines"], block: Block, match: Match, run: Run, index: number): string {
  const own = block.lineEnds?.get(run.newStart + index);
  if (own !== undefined) return own;
  const replaced = Math.min(run.oldStart + index, run.oldEnd - 1);
  return lines.lineEndNear(match.line + (run.oldStart === run.oldEnd ? run.oldStart - 1 : replaced));
}

function cannotIndent({ path }: Source, block: Block, match: Match): ToolError {
  const first = match.line + 1;
  const message = `${path}: ${block.name} matches line ${first} only with other indentation, and the indentation of its new lines is unclear`;
  return new ToolError("no-match", message, {
    hint: `Read the file from line ${first} and copy the old lines with their indentation.`,
  });
}

/**
 * Decides whose spelling the new text has, when the old text is not spelled as in the file. It has the file's if it
 * repeats old lines in the file's spelling and none in the call's.
 */
function spellingOfNewText(block: Block, found: readonly string[]): "call" | "file" | "unclear" {
  if (block.wholeLines) return "call";
  const [oldLines, newLines, ownLines] = [block.oldLines, block.newLines, found].map(filled);
  const edges = edgesIn(newLines!, oldLines!, ownLines!);
  if (edges.written > 0 || keepsDepth(newLines!, oldLines!, ownLines!)) return "call";
  if (edges.found === 2) return "file";
  const votes = countVotes(newLines!, spellingsOf(oldLines!), spellingsOf(ownLines!));
  if (votes.written > 0) return votes.found >= votes.written ? "unclear" : "call";
  if (votes.lines === 0 || votes.found <= votes.neither) return "call";
  return edges.found > 0 ? "file" : "unclear";
}

function filled(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => !isBlankLine(line)).map(trimTrailingBlanks);
}

/** Counts how many of the first and last lines stay, spelled as in the call or as in the file. */
function edgesIn(
  newLines: readonly string[],
  oldLines: readonly string[],
  ownLines: readonly string[],
): { written: number; found: number } {
  const edges = [0, -1].filter((edge) => oldLines.at(edge) !== ownLines.at(edge));
  return {
    written: edges.filter((edge) => newLines.at(edge) === oldLines.at(edge)).length,
    found: edges.filter((edge) => newLines.at(edge) === ownLines.at(edge)).length,
  };
}

function keepsDepth(
  newLines: readonly string[],
  oldLines: readonly string[],
  ownLines: readonly string[],
): boolean {
  const [wanted, written, own] = [newLines, oldLines, ownLines].map((lines) =>
    Math.min(...lines.map((line) => indentationOf(line).length)),
  );
  return wanted === written && wanted !== own;
}

interface Votes extends Record<Vote, number> {
  lines: number;
}

function countVotes(newLines: readonly string[], written: Spellings, own: Spellings): Votes {
  const votes: Votes = { written: 0, found: 0, neither: 0, both: 0, lines: 0 };
  for (const line of newLines) {
    const byLine = voteByLine(line, written, own);
    if (byLine === "found") votes.lines += 1;
    votes[byLine === "neither" ? voteByDepth(line, written, own) : byLine] += 1;
  }
  return votes;
}

type Vote = "written" | "found" | "neither" | "both";

function voteByLine(line: string, written: Spellings, found: Spellings): Vote {
  const key = foldGlyphs(line);
  return choose(written.lines.get(key)?.has(line), found.lines.get(key)?.has(line));
}

/** Votes by depth. A new depth votes for neither only if the line itself is an old one in another spelling. */
function voteByDepth(line: string, written: Spellings, found: Spellings): Vote {
  const depth = indentationOf(line);
  const vote = choose(written.depths.has(depth), found.depths.has(depth));
  return vote === "neither" && !written.lines.has(foldGlyphs(line)) ? "both" : vote;
}

function choose(isWritten = false, isFound = false): Vote {
  if (isWritten === isFound) return isWritten ? "both" : "neither";
  return isWritten ? "written" : "found";
}

interface Spellings {
  readonly lines: ReadonlyMap<string, ReadonlySet<string>>;
  readonly depths: ReadonlySet<string>;
}

function spellingsOf(lines: readonly string[]): Spellings {
  return {
    lines: new Map([...Map.groupBy(lines, foldGlyphs)].map(([key, group]) => [key, new Set(group)])),
    depths: new Set(lines.map(indentationOf)),
  };
}
