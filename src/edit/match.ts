import { alignAtEnd, alignAtStart, alignInside, cutsWord } from "./align.ts";
import type { Block } from "./block.ts";
import type { Source } from "./source.ts";
import { indentationOf, isBlankLine, looser, overlooksContent, type TierName, tierOfLines } from "./tiers.ts";

/** A place in the file that holds a block's old lines. */
export interface Match {
  readonly tier: TierName;
  /** The file's line under the first old line, counted from 0. */
  readonly line: number;
  /** The bytes the old lines cover, the last line end left out. */
  readonly start: number;
  readonly end: number;
}

/**
 * Whether the block's old lines stand at `line`, by a tier no looser than `upTo`. Text inside one line may stand there
 * often.
 */
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

/** Which old lines are whole lines of the file: all of a hunk's, but not the first and last of a text. */
export function wholeLinesOf({ oldLines, wholeLines }: Block): readonly [first: number, end: number] {
  return wholeLines ? [0, oldLines.length] : [1, oldLines.length - 1];
}

/** The match at `line`, where the whole lines are known to stand by `tier`. */
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
  // Text that begins or ends inside a word, or at another depth inside a line, is another text.
  if (overlooksContent(tier) && (edges.cutsWord || (edges.isOpen && isShifted(source, block, line))))
    return [];
  const lacksBlankLine = isBlankLine(oldLines[0]!) && !isBlankLine(source.lines.text(line));
  if (overlooksContent(tier) && lacksBlankLine && isSingle(block)) return [];
  // Where blanks do not count, a blank line is blank from its start; where indentation does not, a line begins with it.
  const takesBlanks = tier !== "exact" && isBlankLine(oldLines[0]!) && isBlankLine(source.lines.text(line));
  const takesIndentation = overlooksContent(tier) && edges.isIndented;
  const start = takesBlanks || takesIndentation ? source.lines.start(line) : edges.start;
  return [{ tier, line, start, end: edges.end }];
}

/** Only one line says anything, so that little else may be overlooked. */
export function isSingle({ oldLines }: Block): boolean {
  return oldLines.filter((line) => !isBlankLine(line)).length < 2;
}

/** How two lines compare when the first may begin, or the last end, inside its line. */
export function edgeTier(block: Block, index: number, found: string): TierName | undefined {
  const wanted = block.oldLines[index]!;
  const whole = tierOfLines(wanted, found);
  if (whole !== undefined || block.wholeLines) return whole;
  if (index === 0) return alignAtEnd(wanted, found)?.tier;
  return index === block.oldLines.length - 1 ? alignAtStart(wanted, found)?.tier : undefined;
}

/** The line after a final line end counts for text that ends with one. */
function fits(source: Source, { oldLines, wholeLines }: Block, line: number): boolean {
  const end = line + oldLines.length;
  if (line < 0) return false;
  if (source.lines.hasLines(end)) return true;
  return !wholeLines && oldLines.length > 1 && oldLines.at(-1) === "" && source.lines.hasLines(end - 1);
}

/** Where text that may begin and end inside a line does so. */
interface Edges {
  readonly tier: TierName;
  readonly start: number;
  readonly end: number;
  /** Only indentation stands before it. */
  readonly isIndented: boolean;
  /** Its last line goes on after it. */
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

/** Whether lines after the first are indented otherwise than in the file. */
export function isShifted({ lines }: Source, { oldLines }: Block, line: number): boolean {
  return oldLines.some((wanted, index) => {
    if (index === 0 || isBlankLine(wanted)) return false;
    return indentationOf(wanted) !== indentationOf(lines.text(line + index));
  });
}

/** The wanted text is somewhere in the line, in other glyphs or with other blanks around it. */
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
