import { bordersOf } from "../lib/borders.ts";
import type { Block } from "./block.ts";
import { foldGlyphs } from "./glyphs.ts";
import { type Match, matchWithEdges, wholeLinesOf } from "./match.ts";
import type { Source } from "./source.ts";
import { indentationOf, type TierName, trimTrailingBlanks } from "./tiers.ts";
import { refuseTooMany } from "./too-many-places.ts";

/**
 * All places that hold the block's old lines, found in one pass through the file for every tier. For files of lines
 * that are all alike, where looking at every place would take as long as file and block multiplied.
 */
export function matchesAmongRepeats(
  source: Source,
  block: Block,
  upTo: "indentation" | "glyphs",
): readonly Match[] {
  const [first, end] = wholeLinesOf(block);
  const wanted = block.oldLines.slice(first, end);
  const tiers = new Map<number, TierName>();
  // From loose to strict, so that the strictest tier of a place is the one that stays.
  for (const [tier, normalise] of normalisers) {
    if (tier === "glyphs" && upTo !== "glyphs") continue;
    for (const start of startsOf(wanted, source, normalise)) {
      tiers.set(start - first, tier);
      refuseTooMany(source.path, tiers.size);
    }
  }
  return [...tiers]
    .sort(([left], [right]) => left - right)
    .flatMap(([line, tier]) => matchWithEdges(source, block, line, tier, upTo));
}

const normalisers: readonly (readonly [TierName, (line: string) => string])[] = [
  ["glyphs", foldGlyphs],
  ["indentation", (line) => trimTrailingBlanks(line).slice(indentationOf(line).length)],
  ["trailing-blanks", trimTrailingBlanks],
  ["exact", (line) => line],
];

/** Where the wanted lines begin in the file, overlapping places too (Knuth, Morris and Pratt). */
function* startsOf(
  wanted: readonly string[],
  { lines }: Source,
  normalise: (line: string) => string,
): Generator<number> {
  const pattern = wanted.map(normalise);
  const borders = bordersOf(pattern);
  let matched = 0;
  for (let line = 0; line < lines.count; line += 1) {
    const text = normalise(lines.text(line));
    if (matched === pattern.length) matched = borders[matched]!;
    while (matched > 0 && pattern[matched] !== text) matched = borders[matched]!;
    if (pattern[matched] === text) matched += 1;
    if (matched === pattern.length) yield line + 1 - matched;
  }
}
