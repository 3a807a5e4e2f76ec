import { ToolError } from "../../contract/error.ts";
import type { Block } from "../block.ts";
import { isDistinctive, type PartialMatch, partialMatches } from "../diagnose/near-misses.ts";
import type { LineTable, Source } from "../source.ts";
import type { Match } from "./match-lines.ts";
import { linesWith, longestWord } from "./search.ts";
import { foldGlyphs, indentationOf, isBlankLine, overlooksContent } from "./tiers.ts";

/**
 * Chooses one match by end of file, headers and line number, or throws. `shifts` says how far the line numbers of the
 * other blocks are off.
 */
export function decide(
  source: Source,
  block: Block,
  matches: readonly Match[],
  shifts: ReadonlySet<number> = unshifted,
): Match {
  const { headers, isHeading, endOfFile, firstLine } = block.hints;
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
  // The diff tool guessed the heading, but its line numbers are exact.
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

/** Whether the only match counts although its header is below: three distinctive lines match, and no rival is below. */
function isCertain(
  source: Source,
  block: Block,
  [match, ...others]: readonly Match[],
  header: number,
): boolean {
  if (!match || others.length > 0 || overlooksContent(match.tier)) return false;
  const telling = block.oldLines.filter(isDistinctive).length;
  const isRival = ({ line, agreeing }: PartialMatch) =>
    line > match.line && line + block.oldLines.length > header && 2 * agreeing.length >= telling;
  return telling >= 3 && !partialMatches(source, block).some(isRival);
}

const unshifted: ReadonlySet<number> = new Set([0]);

/** Lists the line numbers of matches, at most twenty: "lines 3, 8 and 21". */
export function listLines(matches: readonly Match[]): string {
  const numbers = [...new Set(matches.map(({ line }) => line + 1))];
  if (numbers.length === 1) return `line ${numbers[0]}, ${matches.length} times`;
  if (numbers.length > 20) return `lines ${numbers.slice(0, 20).join(", ")} and ${numbers.length - 20} more`;
  return `lines ${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}`;
}

function ambiguous({ path }: Source, block: Block, matches: readonly Match[]): ToolError {
  const { tier, line: first } = matches[0]!;
  const ignored = tier === "indentation" ? ", ignoring indentation" : ", ignoring glyphs";
  const message = `${path}: ${block.name} occurs ${matches.length} times, at ${listLines(matches)}${overlooksContent(tier) ? ignored : ""}`;
  const more = matches.every(({ line }) => line === first) ? "more of the line" : "a neighbouring line";
  if (block.wholeLines)
    return new ToolError("ambiguous-match", message, {
      hint: "Add context lines that only the right occurrence has, or an @@ line with the function or class it is in.",
    });
  const narrower = `Include ${more} that only the right occurrence has`;
  return new ToolError("ambiguous-match", message, {
    hint: `${narrower}, or set \`all\` to change all of them.`,
    forUser: { hint: `${narrower}, or add --all to change all of them.` },
  });
}

function aboveHeader({ path }: Source, block: Block, matches: readonly Match[], header: number): ToolError {
  const lines = matches.length === 1 ? `line ${matches[0]!.line + 1}` : listLines(matches);
  const message = `${path}: the @@ line of ${block.name} is line ${header + 1}, but its lines are above, at ${lines}`;
  return new ToolError("no-match", message, { hint: "Omit the @@ line or correct it." });
}

/** Refuses a block marked as the end of the file that is elsewhere, if it is short or matches only with tolerance. */
function refuseNotAtEnd({ path }: Source, block: Block, matches: readonly Match[]): void {
  const isTelling = block.oldLines.filter((line) => !isBlankLine(line)).length > 1;
  if (isTelling && !overlooksContent(matches[0]!.tier)) return;
  const message = `${path}: ${block.name} is marked as the end of the file, but its lines are at line ${matches[0]!.line + 1}`;
  throw new ToolError("no-match", message, {
    hint: "Omit `*** End of File`, or read the end of the file again.",
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

interface Section {
  readonly header: number;
  /** The line after the last line of the section. */
  readonly end: number;
  /** The line after the lines right below the header that are indented deeper. */
  readonly bodyEnd: number;
  /** Whether the header is the whole line. */
  readonly isExact: boolean;
}

/**
 * Returns the sections under nested headers, which are given outermost first: one for each line with the innermost
 * header. Outer headers that do not fit are ignored.
 */
export function sectionsUnder(source: Source, headers: readonly string[]): readonly Section[] {
  const known = sectionsKnown.get(source) ?? new Map<string, readonly Section[]>();
  sectionsKnown.set(source, known);
  const key = headers.join("\n");
  const sections = known.get(key) ?? findSections(source, headers);
  known.set(key, sections);
  return sections;
}

/** A cache, because the hunks of one function have the same header. */
const sectionsKnown = new WeakMap<Source, Map<string, readonly Section[]>>();

function findSections(source: Source, headers: readonly string[]): readonly Section[] {
  const inner = headers.slice(-maxDepth);
  for (let outermost = 0; outermost < inner.length; outermost += 1) {
    let sections: readonly Section[] | undefined;
    for (const header of inner.slice(outermost)) {
      const found = headerLines(source, header).map(({ line, isExact }) =>
        sectionAt(source.lines, line, isExact),
      );
      sections = sections ? withinAny(found, sections) : found;
    }
    if (sections && sections.length > 0) return sections;
  }
  return [];
}

const maxDepth = 8;

/** Returns the sections whose header is inside one of the outer sections. Both lists are in file order. */
function withinAny(sections: readonly Section[], outer: readonly Section[]): readonly Section[] {
  let end = 0;
  let next = 0;
  return sections.filter(({ header }) => {
    for (; next < outer.length && outer[next]!.header <= header; next += 1) {
      end = Math.max(end, outer[next]!.end);
    }
    return header < end;
  });
}

/** Makes a section whose ends are computed on demand. */
function sectionAt(lines: LineTable, header: number, isExact: boolean): Section {
  let end: number | undefined;
  return {
    header,
    isExact,
    get bodyEnd() {
      const depth = indentationOf(lines.text(header)).length;
      let line = header + 1;
      while (lines.hasLines(line + 1) && isDeeper(lines.text(line), depth)) line += 1;
      return line;
    },
    get end() {
      end ??= sectionEnd(lines, header);
      return end;
    },
  };
}

/** Returns the lines equal to the header, else those that begin with it, else those that contain it. */
function headerLines(
  source: Source,
  header: string,
): readonly { readonly line: number; readonly isExact: boolean }[] {
  const unmarked = header.replace(/\s*@@$/, "").trim();
  const [whole, part] = [foldGlyphs(header), foldGlyphs(unmarked)];
  const tests: readonly ((text: string) => boolean)[] = [
    (text) => text === whole,
    (text) => text === part,
    (text) => text.startsWith(part),
    (text) => text.includes(part),
  ];
  for (const anchor of [unmarked, longestWord([unmarked])?.text ?? ""]) {
    const lines: { readonly line: number; readonly text: string }[] = [];
    for (const line of linesWith(source, anchor)) {
      lines.push({ line, text: foldGlyphs(source.lines.text(line)) });
      if (lines.length > 5_000) break;
    }
    for (const [index, test] of tests.entries()) {
      const found = lines.filter(({ text }) => test(text));
      if (found.length > 0) return found.map(({ line }) => ({ line, isExact: index < 2 }));
    }
  }
  return [];
}

/** Returns the first line below the header that is not indented deeper and begins like a header. */
function sectionEnd(lines: LineTable, header: number): number {
  const text = lines.text(header);
  const depth = indentationOf(text).length;
  const marks = /^\s*(#+)/.exec(text)?.[1]?.length;
  for (let line = header + 1; lines.hasLines(line + 1); line += 1) {
    const next = lines.text(line);
    if (isDeeper(next, depth)) continue;
    const body = next.trimStart();
    const endsSection = marks === undefined ? /^[\p{L}\p{N}_$@<"'[]/u.test(body) : marksOf(body) <= marks;
    if (endsSection) return line;
  }
  return lines.count;
}

function isDeeper(line: string, depth: number): boolean {
  return isBlankLine(line) || indentationOf(line).length > depth;
}

function marksOf(text: string): number {
  return /^#+/.exec(text)?.[0].length ?? Number.POSITIVE_INFINITY;
}

/** Returns the position of added lines without context, by end of file, line number or header. */
export function insertionPoint(source: Source, block: Block): Match {
  const { headers, isHeading, firstLine, isInsertion, endOfFile } = block.hints;
  const { lines, path } = source;
  const at = (line: number): Match => {
    const start = lines.start(line);
    return { tier: "exact", line, start, end: start };
  };
  if (lines.count === 0) return at(0);
  if (endOfFile) return at(lines.count);
  const sections = headers.length > 0 ? sectionsUnder(source, headers) : [];
  const isBelowHeading = headers.length === 0 || sections.some(({ header }) => header < firstLine! - 1);
  if (isInsertion && firstLine! <= lines.count + 1 && isBelowHeading) return at(firstLine! - 1);
  if (isHeading) throw noPosition(path, block);
  if (sections.length === 1) return at(sections[0]!.header + 1);
  if (sections.length > 1) {
    const found = listLines(sections.map(({ header }) => at(header)));
    throw new ToolError("ambiguous-match", `${path}: the header of ${block.name} occurs at ${found}`, {
      hint: "Add a context line, or an @@ line with the header of the enclosing class above this one.",
    });
  }
  if (headers.length > 0) {
    const message = `${path}: the header of ${block.name} is not in the file: ${headers.at(-1)}`;
    const hint = "Add the line above or below the new lines as context.";
    throw new ToolError("no-match", message, { hint });
  }
  throw noPosition(path, block);
}

function noPosition(path: string, { name }: Block): ToolError {
  return new ToolError("invalid-input", `${path}: ${name} only adds lines, without a position`, {
    hint: "Add the line above or below the new lines as context, or end the hunk with `*** End of File`.",
  });
}
