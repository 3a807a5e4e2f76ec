import { ToolError } from "../../contract/error.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import type { Block } from "../block.ts";
import type { Match } from "../match/match-lines.ts";
import { occurrences } from "../match/search.ts";
import { isBlankLine } from "../match/tiers.ts";
import { visibleDifference } from "../rewrite/show-diff.ts";
import type { Source } from "../source.ts";
import {
  compareAt,
  isDistinctive,
  linesSharingWords,
  type PartialMatch,
  partialMatches,
} from "./near-misses.ts";

/** Explains why a block was not found: the nearest position, the first difference there, and a hint. */
export function notFound(source: Source, block: Block): ToolError {
  const partial = partialMatches(source, block)[0] ?? partialMatchByWords(source, block);
  const done = seemsDoneAt(source, block, partial?.line);
  const start = `${source.path}: ${block.name} was not found`;
  const nearest = partial ? `. ${describe(source, block, partial)}` : "";
  if (done !== undefined) {
    return new ToolError("no-match", `${start}, but its new text is already at line ${done + 1}${nearest}`, {
      hint: "Read the file before you change it again: the edit seems to be applied already.",
      forUser: { hint: "The edit seems to be applied already." },
    });
  }
  return new ToolError("no-match", `${start}${nearest || ", and nothing similar"}`, {
    hint: "Read the file again and copy the old lines as they are now.",
    forUser: { hint: "Copy the old text from the file as it is now, including blanks." },
  });
}

function describe(source: Source, block: Block, partial: PartialMatch): string {
  const total = block.oldLines.filter((line) => !isBlankLine(line)).length;
  const first = Math.max(partial.line, 0);
  const last = Math.min(partial.line + block.oldLines.length, source.lines.count) - 1;
  const range = last > first ? `lines ${first + 1}-${last + 1}` : `line ${first + 1}`;
  const agreement = total > 1 ? `, where ${partial.agreeing.length} of ${counted(total, "line")} agree` : "";
  return `The closest match is ${range}${agreement}.${firstDifference(source, block, partial)}${shown(source, first, last)}`;
}

function firstDifference(source: Source, block: Block, partial: PartialMatch): string {
  const index = partial.differing.find((each) => !isBlankLine(block.oldLines[each]!)) ?? partial.differing[0];
  if (index === undefined) return "";
  const line = partial.line + index;
  if (line < 0 || line >= source.lines.count) return " The other lines are outside the file.";
  const difference = visibleDifference(block.oldLines[index]!, source.lines.text(line));
  return ` The first difference is line ${line + 1}:\n  wanted: ${difference.wanted}\n  found:  ${difference.found}`;
}

const maxShownLines = 12;
const maxShownChars = 200;

function shown(source: Source, first: number, last: number): string {
  if (last === first) return "";
  const lines: string[] = [];
  for (let line = first; line <= Math.min(last, first + maxShownLines - 1); line += 1) {
    const text = source.lines.text(line);
    lines.push(`${line + 1} | ${text.length > maxShownChars ? `${text.slice(0, maxShownChars)}…` : text}`);
  }
  if (last >= first + maxShownLines) lines.push("…");
  return `\nThese lines are now:\n${lines.join("\n")}`;
}

/** Returns the position of the line that shares most words with the longest old line. */
function partialMatchByWords(source: Source, block: Block): PartialMatch | undefined {
  const index = block.oldLines.reduce(
    (longest, line, each) => (line.length > block.oldLines[longest]!.length ? each : longest),
    0,
  );
  const shared = linesSharingWords(source, block.oldLines[index] ?? "");
  const [best] = [...shared].sort((left, right) => right[1] - left[1] || left[0] - right[0]);
  return best ? compareAt(source, block, best[0] - index) : undefined;
}

/** Returns the line at which the whole new text starts. Call it only when the old text is missing. */
export function newTextLine(source: Source, block: Block): number | undefined {
  for (const at of newTextOffsets(source, block)) return source.lines.lineAt(at);
  return undefined;
}

/**
 * Returns the line at which a missing block seems to be applied already: the line of its new text, if that is too long
 * for a coincidence or is at `nearest`, the expected position of the old text.
 */
function seemsDoneAt(source: Source, block: Block, nearest: number | undefined): number | undefined {
  const text = block.newLines.join("\n");
  if (block.oldLines.join("\n").includes(text)) return undefined;
  const isLong = block.newLines.filter(isDistinctive).length > 1 || text.trim().length >= longText;
  if (isLong) return newTextLine(source, block);
  if (nearest === undefined || !isDistinctive(text)) return undefined;
  const { lines, utf8 } = source;
  const start = lines.start(Math.max(0, nearest));
  const end = lines.start(Math.min(nearest + block.oldLines.length, lines.count));
  const found = utf8.slice(start, end);
  const at = found.indexOf(text);
  return at === -1 ? undefined : lines.lineAt(start + Buffer.byteLength(found.slice(0, at)));
}

/** A single line of this length or more is too long for a coincidence. */
const longText = 40;

/** Whether a tolerant match is already applied, because exactly the new text is at its position. */
export function isDone(source: Source, block: Block, matches: readonly Match[]): boolean {
  const { oldLines, newLines } = block;
  for (const at of newTextOffsets(source, block)) {
    const first = source.lines.lineAt(at);
    const last = first + newLines.length - 1;
    if (at !== source.lines.start(first) || source.lines.text(last) !== newLines.at(-1)) continue;
    if (matches.some(({ line }) => first < line + oldLines.length && line <= last)) return true;
  }
  return false;
}

/** Refuses a repeated call that would add its lines twice, because it has context on one side only. */
export function refuseDone(
  { path, lines }: Source,
  { name, oldLines, newLines, runs, hints }: Block,
  { line }: Match,
): void {
  if (hints.isInsertion || !runs.every(({ oldStart, oldEnd }) => oldStart === oldEnd)) return;
  for (const { oldStart, newStart, newEnd } of runs) {
    const added = newLines.slice(newStart, newEnd);
    const areAt = (first: number) =>
      first >= 0 &&
      first + added.length <= lines.count &&
      added.every((text, index) => lines.text(first + index) === text);
    const at = line + oldStart;
    const isBelow = oldStart === oldLines.length && areAt(at);
    const isAbove = oldStart === 0 && areAt(at - added.length);
    if ((!isBelow && !isAbove) || !isDistinctive(added.join("\n"))) continue;
    const first = isBelow ? at : at - added.length;
    throw new ToolError("no-match", `${path}: the lines that ${name} adds are already at line ${first + 1}`, {
      hint: "To add the lines a second time, give context lines above and below them.",
    });
  }
}

function newTextOffsets(source: Source, { newLines, runs }: Block): Iterable<number> {
  const text = newLines.join("\n");
  const addsNothing = runs.every(({ newStart, newEnd }) => newStart === newEnd);
  return addsNothing || !isDistinctive(text) ? [] : occurrences(source, text);
}
