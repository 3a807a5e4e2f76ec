import { ToolError } from "../contract/error.ts";
import type { Block } from "./block.ts";
import type { Match } from "./match.ts";
import { isTelling, type PartialPlace, partialPlaces } from "./places.ts";
import { sectionsUnder } from "./sections.ts";
import type { Source } from "./source.ts";
import { isBlankLine, overlooksContent } from "./tiers.ts";

/**
 * The one place that is meant. Several are narrowed by what else the call says: end of file, headers, line number.
 * `shifts` tells by how many lines the call's numbers are off, as seen at other blocks; 0 when nothing is known.
 */
export function decide(
  source: Source,
  block: Block,
  matches: readonly Match[],
  shifts: ReadonlySet<number> = unshifted,
): Match {
  const { headers, isHeading, endOfFile, firstLine } = block.place;
  const sections = headers.length > 0 ? sectionsUnder(source, headers) : [];
  const isBelow = (match: Match) => sections.some(({ header }) => header <= lastLine(match, block));
  let left = matches;
  const narrow = (test: (match: Match) => boolean) => {
    const fitting = left.filter(test);
    if (fitting.length > 0) left = fitting;
  };
  const header = sections.find(({ isExact }) => isExact)?.header;
  const isAbove = !isHeading && header !== undefined && !matches.some(isBelow);
  if (isAbove && !isCertain(source, block, matches, header))
    throw aboveHeader(source, block, matches, header);
  if (endOfFile && !matches.some((match) => isAtEnd(source, block, match)))
    refuseNotAtEnd(source, block, matches);
  if (left.length === 1) return left[0]!;
  if (endOfFile) narrow((match) => isAtEnd(source, block, match));
  const isNumbered = (match: Match) =>
    firstLine !== undefined && !overlooksContent(match.tier) && shifts.has(match.line + 1 - firstLine);
  // A heading is a guess of the tool that wrote it, its numbers are not.
  if (isHeading) narrow((match) => isNumbered(match) && (sections.length === 0 || isBelow(match)));
  narrow(isBelow);
  const isWithin = (match: Match, bound: "bodyEnd" | "end") =>
    sections.some((section) => section.header <= match.line && lastLine(match, block) < section[bound]);
  narrow((match) => isWithin(match, "bodyEnd"));
  narrow((match) => isWithin(match, "end"));
  narrow(isNumbered);
  if (left.length === 1) return left[0]!;
  throw ambiguous(source, block, left);
}

/**
 * A header below the only place is a mistake when the place leaves no doubt: several lines that say something, as they
 * are, and nothing like them below the header.
 */
function isCertain(
  source: Source,
  block: Block,
  [match, ...others]: readonly Match[],
  header: number,
): boolean {
  if (!match || others.length > 0 || overlooksContent(match.tier)) return false;
  const telling = block.oldLines.filter(isTelling).length;
  const isRival = ({ line, agreeing }: PartialPlace) =>
    line > match.line && line + block.oldLines.length > header && 2 * agreeing.length >= telling;
  return telling >= 3 && !partialPlaces(source, block).some(isRival);
}

const unshifted: ReadonlySet<number> = new Set([0]);

/** "lines 3, 8 and 21", the first twenty. */
export function listLines(matches: readonly Match[]): string {
  const numbers = [...new Set(matches.map(({ line }) => line + 1))];
  if (numbers.length === 1) return `line ${numbers[0]}, ${matches.length} times`;
  if (numbers.length > 20) return `lines ${numbers.slice(0, 20).join(", ")} and ${numbers.length - 20} more`;
  return `lines ${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}`;
}

function ambiguous({ path }: Source, block: Block, matches: readonly Match[]): ToolError {
  const { tier } = matches[0]!;
  const how = overlooksContent(tier)
    ? tier === "indentation"
      ? ", apart from indentation"
      : ", apart from glyphs"
    : "";
  const message = `${path}: ${block.name} fits ${matches.length} places, at ${listLines(matches)}${how}`;
  return new ToolError("ambiguous-match", message, { hint: wayToOne(block, matches) });
}

function wayToOne({ wholeLines }: Block, matches: readonly Match[]): string {
  if (wholeLines)
    return "Add context lines that only the right place has, or an @@ line with the function or class it is in.";
  const isOneLine = matches.every(({ line }) => line === matches[0]!.line);
  const more = isOneLine ? "more of the line" : "a neighbouring line";
  return `Include ${more} that only the right place has, or set \`all\` to change every place.`;
}

function aboveHeader({ path }: Source, block: Block, matches: readonly Match[], header: number): ToolError {
  const message = `${path}: ${block.name} says it is below line ${header + 1}, but its lines are at ${
    matches.length === 1 ? `line ${matches[0]!.line + 1}` : listLines(matches)
  }`;
  return new ToolError("no-match", message, { hint: "Leave the @@ line out or correct it." });
}

/** A short block that is said to end the file and does not is somewhere else. */
function refuseNotAtEnd({ path }: Source, block: Block, matches: readonly Match[]): void {
  const isTelling = block.oldLines.filter((line) => !isBlankLine(line)).length > 1;
  if (isTelling && !overlooksContent(matches[0]!.tier)) return;
  const message = `${path}: ${block.name} is marked as the end of the file, but its lines are at line ${matches[0]!.line + 1}`;
  throw new ToolError("no-match", message, {
    hint: "Leave `*** End of File` out, or read the end of the file again.",
  });
}

function isAtEnd({ lines }: Source, block: Block, match: Match): boolean {
  for (let line = match.line + block.oldLines.length; line < lines.count; line += 1) {
    if (!isBlankLine(lines.text(line))) return false;
  }
  return true;
}

function lastLine(match: Match, block: Block): number {
  return match.line + Math.max(0, block.oldLines.length - 1);
}
