import type { Block } from "./block.ts";
import { foldGlyphs } from "./glyphs.ts";
import { indentationOf, isBlankLine, trimTrailingBlanks } from "./tiers.ts";

/**
 * How new text is spelled where the text to find is not spelled as in the file. The file's way, when only what was to be
 * found was off: where the new text repeats old lines it has them as the file, and never as the text to find.
 */
export function spellingOfNewText(block: Block, found: readonly string[]): "call" | "file" | "unclear" {
  const { wholeLines, oldLines, newLines } = block;
  if (wholeLines || keepsEdge(block, found) || keepsDepth(block, found)) return "call";
  const written = spellingsOf(oldLines);
  const own = spellingsOf(found);
  const votes = { written: 0, found: 0, neither: 0, both: 0 };
  let hasOwnLine = false;
  for (const line of newLines) {
    if (isBlankLine(line)) continue;
    const byLine = voteByLine(line, written, own);
    hasOwnLine ||= byLine === "found";
    votes[byLine === "neither" ? voteByDepth(line, written, own) : byLine] += 1;
  }
  if (votes.written > 0 && votes.found >= votes.written) return "unclear";
  return hasOwnLine && votes.written === 0 && votes.found > votes.neither ? "file" : "call";
}

/** The new text begins as far left as the text to find, and not as far as the file's. */
function keepsDepth({ oldLines, newLines }: Block, found: readonly string[]): boolean {
  const [written, wanted, own] = [oldLines, newLines, found].map((lines) =>
    Math.min(...lines.filter((line) => !isBlankLine(line)).map((line) => indentationOf(line).length)),
  );
  return wanted === written && wanted !== own;
}

/** The first or the last line stays as the text to find has it. */
function keepsEdge({ oldLines, newLines }: Block, found: readonly string[]): boolean {
  return [0, -1].some((edge) => {
    const line = oldLines.at(edge)!;
    return !isBlankLine(line) && line === newLines.at(edge) && line !== found.at(edge);
  });
}

type Vote = "written" | "found" | "neither" | "both";

/** Who has the line, word for word. */
function voteByLine(line: string, written: Spellings, found: Spellings): Vote {
  const key = foldGlyphs(line);
  const text = trimTrailingBlanks(line);
  return choose(written.lines.get(key)?.has(text), found.lines.get(key)?.has(text));
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
  const filled = lines.filter((line) => !isBlankLine(line));
  const groups = Map.groupBy(filled, foldGlyphs);
  return {
    lines: new Map([...groups].map(([key, group]) => [key, new Set(group.map(trimTrailingBlanks))])),
    depths: new Set(filled.map(indentationOf)),
  };
}
