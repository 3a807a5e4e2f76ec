import type { Change } from "./edit-request.ts";
import type { Splice } from "./rewrite.ts";
import type { Source } from "./source.ts";
import type { TierName } from "./tiers.ts";

/** The lines a splice touches; those it touches in part count whole. */
export function changeOf({ lines, utf8 }: Source, { start, end, text }: Splice, tier: TierName): Change {
  const isOpen = lines.count > 0 && lines.lineEnd(lines.count - 1) === "";
  const lineOf = (offset: number) => Math.min(lines.lineAt(offset), isOpen ? lines.count - 1 : lines.count);
  const first = lineOf(start);
  const last = lineOf(end);
  const keepsStart = start > lines.start(first);
  const closesLine = text === "" ? !keepsStart : /[\r\n]$/.test(text);
  const isWhole = end === lines.start(last) && closesLine;
  const after = isWhole || last === lines.count ? last : last + 1;
  const rest = text + utf8.toString("utf8", end, lines.start(after));
  const ends = rest.match(/\r\n|\n|\r/g)?.length ?? 0;
  const isUnclosed = (rest !== "" || keepsStart) && !/[\r\n]$/.test(rest);
  return { firstLine: first + 1, removedLines: after - first, addedLines: ends + (isUnclosed ? 1 : 0), tier };
}
