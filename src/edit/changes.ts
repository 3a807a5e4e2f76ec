import type { Change } from "./edit-request.ts";
import type { LineTable } from "./line-table.ts";
import type { Splice } from "./rewrite.ts";
import type { Source } from "./source.ts";
import { looser, type TierName } from "./tiers.ts";

/** The lines splices touch, in the order of the file. */
export function changesOf(
  source: Source,
  splices: readonly (Splice & { readonly tier: TierName })[],
): readonly Change[] {
  const changes: Change[] = [];
  for (const splice of [...splices].sort((left, right) => left.start - right.start)) {
    const change = changeOf(source, splice, splice.tier);
    const last = changes.at(-1);
    const sharesLine = last !== undefined && change.firstLine < last.firstLine + last.removedLines;
    if (sharesLine) changes[changes.length - 1] = join(last, change);
    else changes.push(change);
  }
  return changes;
}

/** Two changes of one line, which both count whole. */
function join(earlier: Change, later: Change): Change {
  return {
    firstLine: earlier.firstLine,
    removedLines: earlier.removedLines + later.removedLines - 1,
    addedLines: earlier.addedLines + Math.max(0, later.addedLines - 1),
    tier: looser(earlier.tier, later.tier),
  };
}

/** Lines that are touched in part count whole. */
function changeOf({ lines, utf8 }: Source, { start, end, text }: Splice, tier: TierName): Change {
  const lineOf = (offset: number) => (offset < utf8.length ? lines.lineAt(offset) : lineAtEnd(lines));
  const first = lineOf(start);
  const last = lineOf(end);
  const keepsStart = start > lines.start(first);
  const closesLine = text === "" ? !keepsStart : endsLine(text);
  const isWhole = end === lines.start(last) && closesLine;
  const after = isWhole || lines.start(last) === utf8.length ? last : last + 1;
  // Of what stays behind the splice only the line end counts; the line may be endless.
  const rest = text + utf8.slice(Math.max(end, lines.start(after) - 2), lines.start(after));
  const isUnclosed = (rest !== "" || keepsStart) && !endsLine(rest);
  const addedLines = countLineEnds(rest, lines) + (isUnclosed ? 1 : 0);
  return { firstLine: first + 1, removedLines: after - first, addedLines, tier };
}

function endsLine(text: string): boolean {
  return text.endsWith("\n") || text.endsWith("\r");
}

function countLineEnds(text: string, { breaks }: LineTable): number {
  return text.split(breaks === "any" && text.includes("\r") ? /\r\n|\n|\r/ : "\n").length - 1;
}

/** The end of the text lies in the last line, if that is not closed. */
function lineAtEnd(lines: LineTable): number {
  return lines.count > 0 && lines.lineEnd(lines.count - 1) === "" ? lines.count - 1 : lines.count;
}
