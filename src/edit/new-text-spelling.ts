import type { Block } from "./block.ts";
import { foldGlyphs } from "./glyphs.ts";
import { indentationOf, isBlankLine, trimTrailingBlanks } from "./tiers.ts";

/**
 * How new text is spelled where the text to find is not spelled as in the file. The file's way, when only what was to be
 * found was off: where the new text repeats old lines it has them as the file, and never as the text to find.
 */
export function spellingOfNewText(block: Block, found: readonly string[]): "call" | "file" | "unclear" {
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

/** How many of the first and the last line stay, as the text to find has them or as the file. */
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

/** The new text begins as far left as the text to find, and not as far as the file's. */
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

/** `lines` are those that are found word for word. */
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

/** Who has the line, word for word. */
function voteByLine(line: string, written: Spellings, found: Spellings): Vote {
  const key = foldGlyphs(line);
  return choose(written.lines.get(key)?.has(line), found.lines.get(key)?.has(line));
}

/** Who has lines of that depth. Of a line that nobody has in any spelling no depth is odd. */
function voteByDepth(line: string, written: Spellings, found: Spellings): Vote {
  const depth = indentationOf(line);
  const vote = choose(written.depths.has(depth), found.depths.has(depth));
  return vote === "neither" && !written.lines.has(foldGlyphs(line)) ? "both" : vote;
}

function choose(isWritten = false, isFound = false): Vote {
  if (isWritten === isFound) return isWritten ? "both" : "neither";
  return isWritten ? "written" : "found";
}

/** How lines that look the same are spelled, and how deep lines are indented. */
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
