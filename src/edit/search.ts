import type { Block } from "./block.ts";
import { everyPlace } from "./every-place.ts";
import { unitsOf } from "./glyphs.ts";
import { type Match, matchesAt } from "./match.ts";
import { matchesAmongRepeats } from "./repeats.ts";
import type { Source } from "./source.ts";
import { isBlankLine, looser, tierOfLines } from "./tiers.ts";
import { refuseTooMany } from "./too-many-places.ts";
import { bytesOf } from "./utf8-text.ts";

/**
 * All places that hold the block's old lines, by the strictest tier that finds any, in file order. Whatever the tier,
 * something of the block stands in the file byte by byte: all of it, else its longest line without the blanks around
 * it, else its longest word. That is looked for, and the lines around every hit are compared.
 */
export function findMatches(source: Source, block: Block): readonly Match[] {
  if (block.oldLines.length === 0) return [];
  if (block.wholeLines && block.oldLines.every(isBlankLine)) return blankMatches(source, block);
  // Whole lines are compared one by one anyway, which tells those that are the same.
  const exact = block.wholeLines ? [] : exactMatches(source, block);
  if (exact.length > 0) return exact;
  const plain = matchesAround(source, block, longestLines, "indentation");
  return plain.length > 0 ? strictest(plain) : matchesAround(source, block, longestWords, "glyphs");
}

/** Every place where `wanted` stands, overlapping ones too. */
export function occurrences({ utf8 }: Source, wanted: string): Iterable<number> {
  return wanted === "" ? [] : everyPlace(utf8.bytes, bytesOf(wanted));
}

/** Every line that holds `wanted`, once. */
export function* linesWith({ utf8, lines }: Source, wanted: string): Generator<number> {
  if (wanted === "") return;
  const { bytes } = utf8;
  const sought = bytesOf(wanted);
  for (let at = bytes.indexOf(sought); at !== -1; ) {
    const line = lines.lineAt(at);
    yield line;
    at = bytes.indexOf(sought, lines.start(line + 1));
  }
}

/** Part of one of several lines that tells where they are. */
export interface Anchor {
  readonly text: string;
  /** The line it is in. */
  readonly index: number;
}

/** The longest word, or else character, that every tier has as it is written. */
export function longestWord(lines: readonly string[]): Anchor | undefined {
  return (
    longestOf(lines, asciiWords) ??
    longestOf(lines, (line) => unitsOf(line).flatMap(({ text, key }) => (isStable(text, key) ? [text] : [])))
  );
}

function longestOf(
  lines: readonly string[],
  partsOf: (line: string) => readonly string[],
): Anchor | undefined {
  let longest: Anchor | undefined;
  for (const [index, line] of lines.entries()) {
    for (const text of partsOf(line))
      if (text.length > (longest?.text.length ?? 0)) longest = { text, index };
  }
  return longest;
}

/** A letter before one that is not ASCII may be half of a composed one. */
function asciiWords(line: string): readonly string[] {
  return line.match(/[A-Za-z0-9_]+(?![^\0-\x7f])/g) ?? [];
}

function isStable(text: string, key: string): boolean {
  return text === key && text.normalize("NFC") === key && !/^(?:['"\-\s]|\.\.\.)/.test(text);
}

/** Words as `longestWord` has them, the longest first. The others are worked out only when they are asked for. */
function* longestWords(lines: readonly string[]): Generator<Anchor> {
  const longest = longestWord(lines);
  if (!longest) return;
  yield longest;
  yield* othersThan(
    longest,
    lines.flatMap((line, index) => asciiWords(line).map((text) => ({ text, index }))),
  );
}

/** Lines without the blanks around them, the longest first. */
function* longestLines(lines: readonly string[]): Generator<Anchor> {
  const longest = longestLine(lines);
  if (!longest) return;
  yield longest;
  yield* othersThan(
    longest,
    lines.map((line, index) => ({ text: line.trim(), index })),
  );
}

function longestLine(lines: readonly string[]): Anchor | undefined {
  let longest: Anchor | undefined;
  for (const [index, line] of lines.entries()) {
    if (line.length <= (longest?.text.length ?? 0)) continue;
    const text = line.trim();
    if (text.length > (longest?.text.length ?? 0)) longest = { text, index };
  }
  return longest;
}

function othersThan(longest: Anchor, anchors: readonly Anchor[]): readonly Anchor[] {
  const others = new Map(anchors.map((anchor) => [anchor.text, anchor]));
  others.delete(longest.text);
  others.delete("");
  return [...others.values()].sort((left, right) => right.text.length - left.text.length);
}

/** Text as it stands. Carriage returns need a look at every line end, so several lines with them do not come here. */
function exactMatches(source: Source, { oldLines }: Block): readonly Match[] {
  if (oldLines.length > 1 && source.hasCarriageReturns) return [];
  const wanted = oldLines.join("\n");
  const { length } = bytesOf(wanted);
  const matches: Match[] = [];
  for (const start of occurrences(source, wanted)) {
    matches.push({ tier: "exact", line: source.lines.lineAt(start), start, end: start + length });
    refuseTooMany(source.path, matches.length);
  }
  return matches;
}

/** Blank lines have nothing to look for; whether one of the places is meant, something else has to tell. */
function blankMatches(source: Source, block: Block): readonly Match[] {
  const matches: Match[] = [];
  for (let line = 0; line < source.lines.count; line += 1) {
    matches.push(...matchesAt(source, block, line, "indentation"));
    refuseTooMany(source.path, matches.length);
  }
  return matches.length > 0 ? strictest(matches) : [];
}

function matchesAround(
  source: Source,
  block: Block,
  anchorsOf: (lines: readonly string[]) => Iterable<Anchor>,
  upTo: "indentation" | "glyphs",
): readonly Match[] {
  const { oldLines, wholeLines } = block;
  const { anchor, lines } = rarest(source, anchorsOf(oldLines));
  if (!anchor) return [];
  if (lines.length > few && oldLines.length > few) return matchesAmongRepeats(source, block, upTo);
  const { index, text } = anchor;
  const isWholeLine = wholeLines || (index > 0 && index < oldLines.length - 1);
  const matches: Match[] = [];
  for (const line of lines.length > few ? linesWith(source, text) : lines) {
    // Most lines that hold the anchor are told apart by looking at them alone.
    if (isWholeLine && tierOfLines(oldLines[index]!, source.lines.text(line), upTo) === undefined) continue;
    for (const match of matchesAt(source, block, line - index, upTo)) matches.push(match);
    refuseTooMany(source.path, matches.length);
  }
  return matches;
}

/** What stands in more lines than these does not tell where a block is. */
const few = 20;
const maxAnchors = 12;

/** The first anchor that stands in few lines, with these; else the first of all, with more lines than are few. */
function rarest(
  source: Source,
  anchors: Iterable<Anchor>,
): { readonly anchor: Anchor | undefined; readonly lines: readonly number[] } {
  let first: { anchor: Anchor; lines: readonly number[] } | undefined;
  let tried = 0;
  for (const anchor of anchors) {
    const lines: number[] = [];
    for (const line of linesWith(source, anchor.text)) if (lines.push(line) > few) break;
    if (lines.length <= few) return { anchor, lines };
    first ??= { anchor, lines };
    tried += 1;
    if (tried === maxAnchors) break;
  }
  return first ?? { anchor: undefined, lines: [] };
}

/** The first tier with any hit is the only one that counts. */
function strictest(matches: readonly Match[]): readonly Match[] {
  let best = matches[0]!.tier;
  for (const { tier } of matches) if (looser(best, tier) === best) best = tier;
  return matches.filter(({ tier }) => tier === best);
}
