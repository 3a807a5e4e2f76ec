import type { Block } from "./block.ts";
import { type Match, matchesAt } from "./match.ts";
import type { Source } from "./source.ts";
import { squeezeText } from "./squeeze.ts";
import { looser } from "./tiers.ts";

/** All places that hold the block's old lines, by the strictest tier that finds any. In file order. */
export function findMatches(source: Source, block: Block): readonly Match[] {
  const exact = exactMatches(source, block);
  return exact.length > 0 ? exact : strictest(tolerantMatches(source, block));
}

/** The bytes of the old lines as they stand. Carriage returns need a look at every line end, so they do not come here. */
function exactMatches(source: Source, { oldLines, wholeLines }: Block): readonly Match[] {
  if (oldLines.length === 0 || (wholeLines && source.hasCarriageReturns)) return [];
  const wanted = Buffer.from(oldLines.join("\n"));
  const endsWithBlankLine = oldLines.at(-1) === "";
  const matches: Match[] = [];
  for (const start of occurrences(source.utf8, wanted)) {
    const end = start + wanted.length;
    if (wholeLines && !areWholeLines(source.utf8, start, end, endsWithBlankLine)) continue;
    matches.push({ tier: "exact", line: source.lines.lineAt(start), start, end });
  }
  return matches;
}

/** Every place where `wanted` stands, overlapping ones too. */
export function* occurrences(bytes: Buffer, wanted: Buffer): Generator<number> {
  if (wanted.length === 0) return;
  for (let at = bytes.indexOf(wanted); at !== -1; at = bytes.indexOf(wanted, at + 1)) yield at;
}

function areWholeLines(utf8: Buffer, start: number, end: number, endsWithBlankLine: boolean): boolean {
  if (start > 0 && utf8[start - 1] !== 10) return false;
  // After the last line end there is no further line, not even a blank one.
  return end === utf8.length ? !endsWithBlankLine : utf8[end] === 10;
}

/** More lookalikes than this are not worth telling apart. */
const maxCandidates = 20_000;

function tolerantMatches(source: Source, block: Block): readonly Match[] {
  const { oldLines, wholeLines } = block;
  const squeezedLines = oldLines.map((line) => squeezeText(line));
  const first = squeezedLines.findIndex(({ length }) => length > 0);
  if (first === -1) return [];
  const last = squeezedLines.findLastIndex(({ length }) => length > 0);
  const wanted = Buffer.concat(squeezedLines);
  const { squeezed } = source;
  const matches: Match[] = [];
  let previous = -1;
  for (const at of occurrences(squeezed.bytes, wanted)) {
    const line = squeezed.lineAt(at);
    const mustBeWhole = wholeLines || (first > 0 && last < oldLines.length - 1);
    if (mustBeWhole && squeezed.start(line) !== at) continue;
    const after = line + last - first + 1;
    if (after > source.lines.count) break;
    if (mustBeWhole && squeezed.start(after) !== at + wanted.length) continue;
    if (line - first === previous) continue;
    previous = line - first;
    matches.push(...matchesAt(source, block, line - first));
    if (matches.length > maxCandidates) break;
  }
  return matches;
}

/** The first tier with any hit is the only one that counts. */
function strictest(matches: readonly Match[]): readonly Match[] {
  const best = matches.reduce(
    (least, { tier }) => (looser(least, tier) === tier ? least : tier),
    matches[0]?.tier ?? "exact",
  );
  return matches.filter(({ tier }) => tier === best);
}
