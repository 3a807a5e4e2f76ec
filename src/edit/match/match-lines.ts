import type { Block } from "../block.ts";
import type { Source } from "../source.ts";
import {
  indentationOf,
  isBlankLine,
  looser,
  overlooksContent,
  type TierName,
  tierOfLines,
  trimTrailingBlanks,
  type Unit,
  unitsOf,
} from "./tiers.ts";

/** A position in the file that has a block's old lines. */
export interface Match {
  readonly tier: TierName;
  /** The file's line at the first old line, counted from 0. */
  readonly line: number;
  /** The bytes of the old lines, from `start` to `end`, without the last line end. */
  readonly start: number;
  readonly end: number;
}

/** Returns the matches at `line` in `upTo` or a stricter tier. Only a text without line end can match several times. */
export function matchesAt(
  source: Source,
  block: Block,
  line: number,
  upTo: "indentation" | "glyphs",
): readonly Match[] {
  const { oldLines, wholeLines } = block;
  if (!fits(source, block, line)) return [];
  if (!wholeLines && oldLines.length === 1) {
    return matchesInside(source, oldLines[0]!, line).filter(({ tier }) => looser(tier, upTo) === upTo);
  }
  const [first, end] = wholeLinesOf(block);
  let tier: TierName = "exact";
  for (let index = first; index < end; index += 1) {
    const same = tierOfLines(oldLines[index]!, source.lines.text(line + index), upTo);
    if (same === undefined) return [];
    tier = looser(tier, same);
  }
  return matchWithEdges(source, block, line, tier, upTo);
}

/** Returns the range of old lines that are whole lines of the file: all but the first and last line of a text. */
export function wholeLinesOf({ oldLines, wholeLines }: Block): readonly [first: number, end: number] {
  return wholeLines ? [0, oldLines.length] : [1, oldLines.length - 1];
}

/** Returns the match at `line`, if any. The whole lines are known to match in `wholeLinesTier`. */
export function matchWithEdges(
  source: Source,
  block: Block,
  line: number,
  wholeLinesTier: TierName,
  upTo: "indentation" | "glyphs",
): readonly Match[] {
  const { oldLines, wholeLines } = block;
  if (!fits(source, block, line)) return [];
  let tier = wholeLinesTier;
  const last = line + oldLines.length - 1;
  if (wholeLines) {
    return [{ tier, line, start: source.lines.start(line), end: source.lines.contentEnd(last) }];
  }
  const edges = matchEdges(source, block, line);
  if (!edges) return [];
  tier = looser(tier, edges.tier);
  if (looser(tier, upTo) !== upTo) return [];
  // A tolerant match must not begin or end inside a word, or end inside a line at another depth.
  if (overlooksContent(tier) && (edges.cutsWord || (edges.isOpen && isShifted(source, block, line))))
    return [];
  const lacksBlankLine = isBlankLine(oldLines[0]!) && !isBlankLine(source.lines.text(line));
  if (overlooksContent(tier) && lacksBlankLine && isSingle(block)) return [];
  // The match includes blanks that the tier ignores: those of a blank line, or the indentation.
  const takesBlanks = tier !== "exact" && isBlankLine(oldLines[0]!) && isBlankLine(source.lines.text(line));
  const takesIndentation = overlooksContent(tier) && edges.isIndented;
  const start = takesBlanks || takesIndentation ? source.lines.start(line) : edges.start;
  return [{ tier, line, start, end: edges.end }];
}

/** Whether at most one line is not blank. Such a block tolerates little. */
export function isSingle({ oldLines }: Block): boolean {
  return oldLines.filter((line) => !isBlankLine(line)).length < 2;
}

/** Compares an old line with a line of the file. The first old line may begin, and the last end, inside its line. */
export function edgeTier(block: Block, index: number, found: string): TierName | undefined {
  const wanted = block.oldLines[index]!;
  const whole = tierOfLines(wanted, found);
  if (whole !== undefined || block.wholeLines) return whole;
  if (index === 0) return alignAtEnd(wanted, found)?.tier;
  return index === block.oldLines.length - 1 ? alignAtStart(wanted, found)?.tier : undefined;
}

/** Whether the file has enough lines. A text that ends with a line end also fits at the end of the file. */
function fits(source: Source, { oldLines, wholeLines }: Block, line: number): boolean {
  const end = line + oldLines.length;
  if (line < 0) return false;
  if (source.lines.hasLines(end)) return true;
  return !wholeLines && oldLines.length > 1 && oldLines.at(-1) === "" && source.lines.hasLines(end - 1);
}

interface Edges {
  readonly tier: TierName;
  readonly start: number;
  readonly end: number;
  readonly isIndented: boolean;
  readonly isOpen: boolean;
  readonly cutsWord: boolean;
}

function matchEdges({ lines }: Source, { oldLines }: Block, line: number): Edges | undefined {
  const last = line + oldLines.length - 1;
  const firstText = lines.text(line);
  const lastText = lines.hasLines(last + 1) ? lines.text(last) : "";
  const first = alignAtEnd(oldLines[0]!, firstText);
  const final = alignAtStart(oldLines.at(-1)!, lastText);
  if (!first || !final) return undefined;
  return {
    isOpen: !isBlankLine(oldLines.at(-1)!) && !isBlankLine(lastText.slice(final.at)),
    cutsWord: cutsWord(firstText, first.at) || cutsWord(lastText, final.at),
    tier: looser(first.tier, final.tier),
    start: lines.start(line) + Buffer.byteLength(firstText.slice(0, first.at)),
    isIndented: isBlankLine(firstText.slice(0, first.at)) && !isBlankLine(firstText.slice(first.at)),
    end: lines.start(last) + Buffer.byteLength(lastText.slice(0, final.at)),
  };
}

/** Whether lines after the first are indented differently in the file. */
export function isShifted({ lines }: Source, { oldLines }: Block, line: number): boolean {
  return oldLines.some((wanted, index) => {
    if (index === 0 || isBlankLine(wanted)) return false;
    return indentationOf(wanted) !== indentationOf(lines.text(line + index));
  });
}

function matchesInside({ lines }: Source, wanted: string, line: number): readonly Match[] {
  const found = lines.text(line);
  const offset = (at: number) => lines.start(line) + Buffer.byteLength(found.slice(0, at));
  return alignInside(wanted, found).map(({ begin, end }) => ({
    tier: looser(begin.tier, end.tier),
    line,
    start: offset(begin.at),
    end: offset(end.at),
  }));
}

interface Alignment {
  readonly tier: TierName;
  /** The position in the file's line where the wanted text begins or ends. */
  readonly at: number;
}

function alignAtEnd(wanted: string, found: string): Alignment | undefined {
  if (found.endsWith(wanted)) return { tier: "exact", at: found.length - wanted.length };
  if (isBlankLine(wanted)) return { tier: "trailing-blanks", at: trimTrailingBlanks(found).length };
  const trimmed = trimTrailingBlanks(wanted);
  const trimmedFound = trimTrailingBlanks(found);
  const at = trimmedFound.length - trimmed.length;
  if (trimmedFound.endsWith(trimmed) && !cutsWord(trimmedFound, at)) return { tier: "trailing-blanks", at };
  const units = innerUnits(wanted);
  const foundUnits = withoutBlankEnd(unitsOf(found));
  return alignUnits(wanted, found, units, foundUnits, foundUnits.length - units.length)?.begin;
}

function cutsWord(line: string, at: number): boolean {
  return at > 0 && /^\w\w$/.test(line.slice(at - 1, at + 1));
}

function alignAtStart(wanted: string, found: string): Alignment | undefined {
  if (found.startsWith(wanted)) return { tier: "exact", at: wanted.length };
  const indentation = indentationOf(found).length;
  if (isBlankLine(wanted)) return { tier: "indentation", at: indentation };
  const trimmed = trimTrailingBlanks(wanted);
  if (trimTrailingBlanks(found) === trimmed) return { tier: "trailing-blanks", at: found.length };
  const units = innerUnits(wanted);
  const foundUnits = unitsOf(found);
  return alignUnits(wanted, found, units, foundUnits, foundUnits[0]?.key === " " ? 1 : 0)?.end;
}

function alignInside(wanted: string, found: string): readonly { begin: Alignment; end: Alignment }[] {
  const units = innerUnits(wanted);
  const foundUnits = unitsOf(found);
  return foundUnits.flatMap((_, from) => alignUnits(wanted, found, units, foundUnits, from) ?? []);
}

/**
 * Aligns the wanted units with the line's units from `from` on. Blanks at the edges need blanks, or the line's edge.
 */
function alignUnits(
  wanted: string,
  found: string,
  units: readonly Unit[],
  foundUnits: readonly Unit[],
  from: number,
): { begin: Alignment; end: Alignment } | undefined {
  if (from < 0 || from + units.length > foundUnits.length || units.length === 0) return undefined;
  let isSpelledAlike = true;
  for (let index = 0; index < units.length; index += 1) {
    if (units[index]!.key !== foundUnits[from + index]!.key) return undefined;
    isSpelledAlike &&= units[index]!.text === foundUnits[from + index]!.text;
  }
  const tier = isSpelledAlike ? "indentation" : "glyphs";
  const before = foundUnits[from - 1];
  const after = foundUnits[from + units.length];
  const startsLine = before === undefined || (from === 1 && before.key === " ");
  const endsLine =
    after === undefined || (after.key === " " && from + units.length === foundUnits.length - 1);
  const leading = /^\s/.test(wanted);
  const trailing = /\s$/.test(wanted);
  if (leading && !startsLine && before?.key !== " ") return undefined;
  if (trailing && !endsLine && after?.key !== " ") return undefined;
  const begin = startsLine ? 0 : leading ? before!.at : foundUnits[from]!.at;
  const last = foundUnits[from + units.length - 1]!;
  const end = trailing && after ? after.at + after.text.length : last.at + last.text.length;
  const midLine = !startsLine && leading && before!.text !== indentationOf(wanted);
  return {
    begin: { tier: midLine ? "glyphs" : tier, at: begin },
    end: { tier, at: Math.min(end, found.length) },
  };
}

function innerUnits(text: string): readonly Unit[] {
  const units = withoutBlankEnd(unitsOf(text));
  return units[0]?.key === " " ? units.slice(1) : units;
}

function withoutBlankEnd(units: readonly Unit[]): readonly Unit[] {
  return units.at(-1)?.key === " " ? units.slice(0, -1) : units;
}
