import type { Change } from "./edit-request.ts";
import type { LineTable } from "./line-table.ts";
import type { Splice } from "./rewrite.ts";
import type { Source } from "./source.ts";
import type { TierName } from "./tiers.ts";

/** The lines splices touch, in the order of the file. */
export function changesOf(
  source: Source,
  splices: readonly (Splice & { readonly tier: TierName })[],
): readonly Change[] {
  return splices
    .map((splice) => changeOf(source, splice, splice.tier))
    .sort((left, right) => left.firstLine - right.firstLine);
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
  const ends = rest.match(/\r\n|\n|\r/g)?.length ?? 0;
  const isUnclosed = (rest !== "" || keepsStart) && !/[\r\n]$/.test(rest);
  return { firstLine: first + 1, removedLines: after - first, addedLines: ends + (isUnclosed ? 1 : 0), tier };
}

/** The end of the text lies in the last line, if that is not closed. */
function lineAtEnd(lines: LineTable): number {
  return lines.count > 0 && lines.lineEnd(lines.count - 1) === "" ? lines.count - 1 : lines.count;
}
