import { ToolError } from "../../contract/error.ts";
import { prefixLengths } from "../../lib/bytes/bytes.ts";
import type { Block } from "../block.ts";
import { bytesOf, type Source } from "../source.ts";
import { type Match, matchesAt, matchWithEdges, wholeLinesOf } from "./match-lines.ts";
import {
  foldGlyphs,
  indentationOf,
  isBlankLine,
  looser,
  type TierName,
  tierOfLines,
  trimTrailingBlanks,
  unitsOf,
} from "./tiers.ts";

/**
 * Returns all positions of the block's old lines in the strictest tier that has any, in file order. In every tier, some
 * part of a matching block is in the file byte for byte: the block, a line without surrounding blanks, or a word. The
 * search looks for that part and compares the lines around every hit.
 */
export function findMatches(source: Source, block: Block): readonly Match[] {
  if (block.oldLines.length === 0) return [];
  if (block.wholeLines && block.oldLines.every(isBlankLine)) return blankMatches(source, block);
  // Whole lines are compared one by one below, which also finds exact matches.
  const exact = block.wholeLines ? [] : exactMatches(source, block);
  if (exact.length > 0) return exact;
  const plain = matchesAround(source, block, longestLines, "indentation");
  return plain.length > 0 ? strictest(plain) : matchesAround(source, block, longestWords, "glyphs");
}

/** Returns every offset of `wanted` in the file, including overlapping ones. */
export function occurrences({ utf8 }: Source, wanted: string): Iterable<number> {
  return wanted === "" ? [] : everyOccurrence(utf8.bytes, bytesOf(wanted));
}

/** Yields every line that contains `wanted`, once. */
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

/** A part of one of several lines, used to find them. */
interface Anchor {
  readonly text: string;
  readonly index: number;
}

/** Returns the longest word that is spelled the same in every tier, or such a character if there is none. */
export function longestWord(lines: readonly string[]): Anchor | undefined {
  return (
    longestOf(lines, asciiWords) ??
    longestOf(lines, (line) => unitsOf(line).flatMap(({ text, key }) => (isStable(text, key) ? [text] : [])))
  );
}

type PartsOf = (line: string) => readonly string[];

function longestOf(lines: readonly string[], partsOf: PartsOf): Anchor | undefined {
  let longest: Anchor | undefined;
  for (const [index, line] of lines.entries()) {
    for (const text of partsOf(line))
      if (text.length > (longest?.text.length ?? 0)) longest = { text, index };
  }
  return longest;
}

/** Returns the ASCII words, without a letter before a non-ASCII character: the two may be one composed character. */
function asciiWords(line: string): readonly string[] {
  return line.match(/[A-Za-z0-9_]+(?![^\0-\x7f])/g) ?? [];
}

function isStable(text: string, key: string): boolean {
  return text === key && text.normalize("NFC") === key && !/^(?:['"\-\s]|\.\.\.)/.test(text);
}

/** Yields words as in `longestWord`, longest first. */
function* longestWords(lines: readonly string[]): Generator<Anchor> {
  const longest = longestWord(lines);
  if (!longest) return;
  yield longest;
  const words = lines.flatMap((line, index) => asciiWords(line).map((text) => ({ text, index })));
  yield* othersThan(longest, words);
}

function* longestLines(lines: readonly string[]): Generator<Anchor> {
  const longest = longestLine(lines);
  if (!longest) return;
  yield longest;
  const trimmed = lines.map((line, index) => ({ text: line.trim(), index }));
  yield* othersThan(longest, trimmed);
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

/** Finds exact text. Several lines that end with carriage returns must be compared line by line instead. */
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

/** Returns all positions of blank lines, which contain no text to search for. The call's hints decide between them. */
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
    // Comparing the anchor's whole line first excludes most hits.
    if (isWholeLine && tierOfLines(oldLines[index]!, source.lines.text(line), upTo) === undefined) continue;
    for (const match of matchesAt(source, block, line - index, upTo)) matches.push(match);
    refuseTooMany(source.path, matches.length);
  }
  return matches;
}

/** An anchor in more lines than this does not locate a block. */
const few = 20;
const maxAnchors = 12;

/** Returns the first anchor that occurs in few lines, with these lines; else the first anchor. */
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

/** Returns the matches of the strictest tier that has any. */
function strictest(matches: readonly Match[]): readonly Match[] {
  let best = matches[0]!.tier;
  for (const { tier } of matches) if (looser(best, tier) === best) best = tier;
  return matches.filter(({ tier }) => tier === best);
}

/**
 * Returns all positions of the block's old lines, in one pass through the file per tier. In a file of identical lines,
 * comparing at every position would take time proportional to file size times block size.
 */
function matchesAmongRepeats(source: Source, block: Block, upTo: "indentation" | "glyphs"): readonly Match[] {
  const [first, end] = wholeLinesOf(block);
  const wanted = block.oldLines.slice(first, end);
  const tiers = new Map<number, TierName>();
  // The order is from loose to strict, so that the strictest tier of a position remains.
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

/** Yields the positions of the wanted lines in the file, including overlapping ones (Knuth-Morris-Pratt). */
function* startsOf(
  wanted: readonly string[],
  { lines }: Source,
  normalise: (line: string) => string,
): Generator<number> {
  const pattern = wanted.map(normalise);
  const borders = prefixLengths(pattern);
  let matched = 0;
  for (let line = 0; line < lines.count; line += 1) {
    const text = normalise(lines.text(line));
    if (matched === pattern.length) matched = borders[matched]!;
    while (matched > 0 && pattern[matched] !== text) matched = borders[matched]!;
    if (pattern[matched] === text) matched += 1;
    if (matched === pattern.length) yield line + 1 - matched;
  }
}

/** Returns every offset of `sought` in a text, including overlapping ones. */
export function everyOccurrence(text: string, sought: string): Iterable<number> {
  return repeatsItself(sought) ? inOnePass(text, sought) : byIndexOf(text, sought);
}

function* byIndexOf(text: string, sought: string): Generator<number> {
  for (let at = text.indexOf(sought); at !== -1; at = text.indexOf(sought, at + 1)) yield at;
}

/** Whether `indexOf` could take seconds per megabyte, because it compares from the end of the text. */
function repeatsItself(sought: string): boolean {
  if (sought.length <= knownChars) return false;
  const period = knownChars - prefixLengths(sought.slice(-knownChars))[knownChars]!;
  return period <= shortPeriod;
}

const knownChars = 250;
const shortPeriod = 60;

/** Searches by Knuth-Morris-Pratt, which is slower than `indexOf` but linear in the worst case. */
function* inOnePass(text: string, sought: string): Generator<number> {
  const borders = prefixLengths(sought);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (matched === sought.length) matched = borders[matched]!;
    while (matched > 0 && sought.charCodeAt(matched) !== code) matched = borders[matched]!;
    if (sought.charCodeAt(matched) === code) matched += 1;
    if (matched === sought.length) yield at + 1 - matched;
  }
}

/** So many matches take a second and a few hundred megabytes. */
const maxMatches = 200_000;

/** Throws `too-large` for a text with more than `maxMatches` matches. */
export function refuseTooMany(path: string, matches: number): void {
  if (matches <= maxMatches) return;
  throw new ToolError("too-large", `${path}: the text occurs more than ${maxMatches} times`, {
    hint: "Include more of the text around it, or make the changes with a script.",
  });
}
