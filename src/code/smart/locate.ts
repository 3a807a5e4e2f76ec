import type { Outline } from "../../contract/code.ts";
import type { Source } from "../../edit/source.ts";
import { describedSymbols, locationOfSymbol } from "./described-symbols.ts";
import type { LikelyLocations, TextLocation } from "./location.ts";
import { type NamedSymbols, namedSymbols, unknownName } from "./named-symbols.ts";
import { noSuchLines, noSuchLocation, severalLocations, unclearNumbers } from "./refusals.ts";
import { similarLines } from "./similar-lines.ts";
import { similarSpans } from "./similar-spans.ts";
import {
  exactLocations,
  isUnclearNumbers,
  LineTable,
  lineNumbersIn,
  tolerantLocations,
} from "./text-locations.ts";

export interface SmartFile {
  readonly path: string;
  readonly source: Source;
  readonly text: string;
  readonly outline: Outline | undefined;
  /** Why the file has no outline, if its language is known. */
  readonly unread?: string | undefined;
}

/**
 * Finds a location in the file. The interpretations, in order:
 *
 *   1. certain: line numbers, the name of a symbol, text of the file
 *   2. text with other indentation, glyphs or wrapping
 *   3. similar: a description of a symbol, part of a line with a typing error, similar lines
 *
 * The first interpretation with any result decides. It must have a single result, or for 3. one that is clearly best.
 * Otherwise throws `ambiguous-match` with all results, or `no-match` if there is none.
 */
export function locate(file: SmartFile, location: string): TextLocation {
  const { source, text, outline } = file;
  const lines = new LineTable(text);
  const certain = certainLocations(file, lines, location);
  if (certain.length > 0) return only(file, location, certain);
  const tolerant = tolerantLocations(source, location);
  if (tolerant.length > 0) return only(file, location, tolerant);
  const described = outline ? [describedSymbols(text, outline, location)] : [];
  const spans = similarSpans(text, lines, location);
  const likely = [...described, spans, without(similarLines(source, lines, location), spans.ranked)];
  const winners = likely.flatMap((each) => each.winners);
  if (winners.length > 0) return only(file, location, winners);
  const nearest = likely.flatMap(({ ranked }) => ranked.slice(0, 3));
  throw noSuchLocation(file, location, nearest);
}

/** Omits lines of which a part is known to be meant. */
function without({ winners, ranked }: LikelyLocations, parts: readonly TextLocation[]): LikelyLocations {
  const isKnown = ({ firstLine, lastLine }: TextLocation) =>
    parts.some((part) => part.firstLine >= firstLine && part.lastLine <= lastLine);
  return {
    winners: winners.filter((location) => !isKnown(location)),
    ranked: ranked.filter((location) => !isKnown(location)),
  };
}

function only(file: SmartFile, location: string, candidates: readonly TextLocation[]): TextLocation {
  if (candidates.length === 1) return candidates[0]!;
  throw severalLocations(file, location, candidates);
}

function certainLocations(file: SmartFile, lines: LineTable, location: string): readonly TextLocation[] {
  const { path, source, text, outline } = file;
  const written = exactLocations(source, location);
  const whole = written.filter((candidate) => !cutsWord(text, candidate));
  const numbers = lineNumbersIn(location);
  if (numbers) {
    const { first, last } = numbers;
    if (first >= 1 && first <= last && last <= lines.count)
      return [{ way: "line numbers", ...lines.span(first, last), score: 1 }, ...whole];
    if (whole.length > 0) return whole;
    throw noSuchLines(path, location, numbers, lines.count);
  }
  if (isUnclearNumbers(location)) {
    if (whole.length > 0) return whole;
    throw unclearNumbers(path, location);
  }
  const named = outline && namedSymbols(path, outline, location);
  if (!named) {
    // The name of a missing symbol is not a description of another one.
    const misspelled = outline && whole.length === 0 && unknownName(path, text, outline, location);
    return misspelled ? [{ ...locationOfSymbol(text, misspelled), way: "similar text" }] : written;
  }
  const blocks = named.symbols.map((symbol) => locationOfSymbol(text, symbol));
  return [...blocks, ...rivals(whole, blocks, named.form)];
}

/** Returns text that the location may mean instead of the named blocks, such as "fn run" outside them. */
function rivals(
  whole: readonly TextLocation[],
  blocks: readonly TextLocation[],
  form: NamedSymbols["form"],
): readonly TextLocation[] {
  if (form === "call") return whole;
  const elsewhere = whole.filter((candidate) => !blocks.some((block) => isInHead(candidate, block)));
  return form === "phrase" && whole.length > 1 ? [] : elsewhere;
}

function isInHead(candidate: TextLocation, { symbol }: TextLocation): boolean {
  return (
    candidate.start >= symbol!.start && candidate.firstLine <= symbol!.line && candidate.end <= symbol!.end
  );
}

function cutsWord(text: string, { start, end }: TextLocation): boolean {
  const isWord = (from: number) => /^[\p{L}\p{N}_]{2}$/u.test(text.slice(from, from + 2));
  return (start > 0 && isWord(start - 1)) || isWord(end - 1);
}
