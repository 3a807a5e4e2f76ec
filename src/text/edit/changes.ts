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
    addedLines: earlier.addedLines + later.addedLines - 1,
    tier: looser(earlier.tier, later.tier),
  };
}

/** Lines that are touched in part count whole. */
function changeOf({ lines, utf8 }: Source, { start, end, text }: Splice, tier: TierName): Change {
  const lineOf = (offset: number) => (offset < utf8.length ? lines.lineAt(offset) : lineAtEnd(lines));
  const first = lineOf(start);
  const last = lineOf(end);
  const keepsStart = start > lines.start(first);
  const closesLine = text === "" ? !keepsStart : /[\r\n]$/.test(text);
  const isWhole = end === lines.start(last) && closesLine;
  const after = isWhole || lines.start(last) === utf8.length ? last : last + 1;
  const rest = text + utf8.slice(end, lines.start(after));
  const ends = rest.match(lines.breaks === "any" ? /\r\n|\n|\r/g : /\n/g)?.length ?? 0;
  const isUnclosed = (rest !== "" || keepsStart) && !/[\r\n]$/.test(rest);
  return { firstLine: first + 1, removedLines: after - first, addedLines: ends + (isUnclosed ? 1 : 0), tier };
}

/** The end of the text lies in the last line, if that is not closed. */
function lineAtEnd(lines: LineTable): number {
  return lines.count > 0 && lines.lineEnd(lines.count - 1) === "" ? lines.count - 1 : lines.count;
}
