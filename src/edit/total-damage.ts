import { asWholeLines, type Block, withLines } from "./block.ts";
import { isBlankLine, type TierName, trimTrailingBlanks } from "./tiers.ts";

/**
 * The block without what a model did to every one of its lines, old and new: blanks at their ends, or odd spaces for
 * all spaces. Then none of it is meant in new lines either. Undefined when there is nothing of the kind.
 */
export function withoutTotalDamage(block: Block): { block: Block; tier: TierName } | undefined {
  const filled = [...block.oldLines, ...block.newLines].filter((line) => !isBlankLine(line));
  if (filled.length === 0) return undefined;
  const isPadded = filled.every((line) => trimTrailingBlanks(line) !== line);
  const whole = isPadded ? asWholeLines(block) : undefined;
  if (whole) return { block: withEach(whole, trimTrailingBlanks), tier: "trailing-blanks" };
  const isOdd = filled.some((line) => plain(line) !== line) && !filled.some((line) => line.includes(" "));
  return isOdd ? { block: withEach(block, plain), tier: "glyphs" } : undefined;
}

function withEach(block: Block, change: (line: string) => string): Block {
  return withLines(block, block.oldLines.map(change), block.newLines.map(change));
}

/** With a space for every space that is no-break, of fixed width or ideographic. */
function plain(line: string): string {
  return line.replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " ");
}
