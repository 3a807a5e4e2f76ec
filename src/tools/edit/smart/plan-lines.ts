import { type BlockChange, type Splice, withReadings } from "../../../code/blocks/block-change.ts";
import { indentationLevel, targetAt } from "../../../code/blocks/snippet.ts";
import { blanksOf, lineEndNear } from "../../../code/lines.ts";
import type { SmartFile } from "../../../code/smart/locate.ts";
import type { TextLocation } from "../../../code/smart/location.ts";
import { LineTable } from "../../../code/smart/text-locations.ts";

export type Operation = "replace" | "insert_before" | "insert_after" | "delete";

/**
 * Returns the ways to put whole lines before, after or instead of others, most likely first. New lines without
 * indentation get the indentation of their neighbours.
 */
export function planLines(
  { text, outline }: Pick<SmartFile, "text" | "outline">,
  found: TextLocation,
  operation: Exclude<Operation, "delete">,
  content: string,
): readonly BlockChange[] {
  const lines = new LineTable(text);
  const lineEnd = lineEndNear(text, found.start);
  const added = content
    .replace(/^\ufeff/, "")
    .replace(/(?:\r\n|\n|\r)$/, "")
    .split(/\r\n|\n|\r/);
  const level = indentationLevel(text);
  const indentation = isIndented(added, level)
    ? commonBlanks(added)
    : adjacentIndentation(lines, found, operation);
  const fitted = outline
    ? targetAt(text, outline, found.start, indentation)
    : { indentation, level, hasDirectives: false };
  const change = {
    snippet: { lines: added, blankLinesBefore: 0 },
    target: fitted,
    isInline: false,
    lineEnd,
  };
  if (text === "") return withReadings({ ...change, start: 0, end: 0, tail: lineEnd });
  const { firstLine, lastLine } = found;
  const [first, last] = [lines.start(firstLine), lines.end(lastLine)];
  // The line above keeps its line end, even if other lines of the file have another.
  const ownEnd = text.slice(last, lines.next(lastLine)) || lineEnd;
  switch (operation) {
    case "replace":
      return withReadings({ ...change, start: first, end: last });
    case "insert_before":
      return withReadings({ ...change, start: first, end: first, tail: lineEnd });
    case "insert_after":
      return withReadings({ ...change, start: last, end: last, lead: ownEnd, lineEnd: ownEnd });
  }
}

/** Puts whole lines before, after or instead of others, byte for byte; adds a missing line end. */
export function planAsIs(
  text: string,
  { start, firstLine, lastLine }: TextLocation,
  operation: Exclude<Operation, "delete">,
  content: string,
): Splice {
  const lines = new LineTable(text);
  const lineEnd = lineEndNear(text, start);
  const closed = /[\r\n]$/.test(content) ? content : content + lineEnd;
  const [first, next] = [lines.start(firstLine), lines.next(lastLine)];
  const isUnclosed = next === lines.end(lastLine);
  switch (operation) {
    case "replace":
      return { start: first, end: next, text: isUnclosed ? content : closed };
    case "insert_before":
      return { start: first, end: first, text: closed };
    case "insert_after":
      return { start: next, end: next, text: isUnclosed ? lineEnd + content : closed };
  }
}

/** Deletes a location. Whole lines, and text that fills its lines, are deleted with their line ends. */
export function planDeletion(text: string, location: TextLocation): Splice {
  const { start, end, firstLine, lastLine } = location;
  if (isPartOfLines(text, location)) return { start, end, text: "" };
  const lines = new LineTable(text);
  const [first, last] = [lines.start(firstLine), lines.end(lastLine)];
  const next = lines.next(lastLine);
  // A text without a final line end gets none.
  const isUnclosed = next === last && firstLine > 1;
  return { start: isUnclosed ? lines.end(firstLine - 1) : first, end: next, text: "" };
}

/** Returns whether the lines of a location have other text too. */
export function isPartOfLines(text: string, { start, end, firstLine, lastLine }: TextLocation): boolean {
  const lines = new LineTable(text);
  const [before, after] = [text.slice(lines.start(firstLine), start), text.slice(end, lines.end(lastLine))];
  return before.trim() !== "" || after.trim() !== "";
}

/** Returns whether the added lines are indented like the file. */
function isIndented(added: readonly string[], level: string): boolean {
  const blanks = commonBlanks(added);
  if (blanks === "") return false;
  return level === "" || blanks.includes("\t") === (level === "\t");
}

function commonBlanks(lines: readonly string[]): string {
  const [first = "", ...others] = lines.filter((line) => line.trim() !== "").map(blanksOf);
  return others.reduce((common, blanks) => {
    let same = 0;
    while (same < common.length && common[same] === blanks[same]) same += 1;
    return common.slice(0, same);
  }, first);
}

/** Returns the indentation of the adjacent line, or of the nearest line that is not blank. */
function adjacentIndentation(
  lines: LineTable,
  { firstLine, lastLine }: TextLocation,
  operation: Operation,
): string {
  const down = Array.from({ length: lines.count - firstLine + 1 }, (_, index) => firstLine + index);
  const up = Array.from({ length: lastLine }, (_, index) => lastLine - index);
  const order = operation === "insert_after" ? [...up, ...down] : [...down, ...up];
  const adjacent = order.find((line) => lines.text(line).trim() !== "");
  return adjacent === undefined ? "" : blanksOf(lines.text(adjacent));
}
