import { foldGlyphs } from "./glyphs.ts";
import type { LineTable } from "./line-table.ts";
import { linesWith, longestWord } from "./search.ts";
import type { Source } from "./source.ts";
import { indentationOf, isBlankLine } from "./tiers.ts";

/** The part of a file that a header names. */
export interface Section {
  /** The header's own line. */
  readonly header: number;
  /** The line after the last one that belongs to it. */
  readonly end: number;
  /** The line after those right below the header that are indented deeper. */
  readonly bodyEnd: number;
  /** The header is the whole line, not just a part of it. */
  readonly isExact: boolean;
}

/**
 * The sections that headers name, outermost first; several when the innermost stands there often. Where they are not
 * nested as they should be, the innermost counts. Empty when it is not in the file.
 */
export function sectionsUnder(source: Source, headers: readonly string[]): readonly Section[] {
  const known = sectionsKnown.get(source) ?? new Map<string, readonly Section[]>();
  sectionsKnown.set(source, known);
  const key = headers.join("\n");
  const sections = known.get(key) ?? findSections(source, headers);
  known.set(key, sections);
  return sections;
}

/** Hunks of one function have the same header. */
const sectionsKnown = new WeakMap<Source, Map<string, readonly Section[]>>();

function findSections(source: Source, headers: readonly string[]): readonly Section[] {
  const inner = headers.slice(-maxDepth);
  for (let outermost = 0; outermost < inner.length; outermost += 1) {
    let sections: readonly Section[] | undefined;
    for (const header of inner.slice(outermost)) {
      const found = headerLines(source, header).map(
        ({ line, isExact }) => new HeadedSection(source.lines, line, isExact),
      );
      sections = sections ? withinAny(found, sections) : found;
    }
    if (sections && sections.length > 0) return sections;
  }
  return [];
}

/** Nothing is nested deeper. */
const maxDepth = 8;

/** The sections whose header lies inside one of the outer ones; both are in the order of the file. */
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

/** Where it ends is worked out only when it matters. */
class HeadedSection implements Section {
  readonly header: number;
  readonly isExact: boolean;
  readonly #lines: LineTable;
  #end: number | undefined;

  constructor(lines: LineTable, header: number, isExact: boolean) {
    this.#lines = lines;
    this.header = header;
    this.isExact = isExact;
  }

  get bodyEnd(): number {
    const depth = indentationOf(this.#lines.text(this.header)).length;
    let line = this.header + 1;
    while (this.#lines.hasLines(line + 1) && isDeeper(this.#lines.text(line), depth)) line += 1;
    return line;
  }

  get end(): number {
    this.#end ??= sectionEnd(this.#lines, this.header);
    return this.#end;
  }
}

/** Lines that are the header; else lines that begin with it, as models shorten them; else lines that hold it. */
function headerLines(
  source: Source,
  header: string,
): readonly { readonly line: number; readonly isExact: boolean }[] {
  const unmarked = header.replace(/\s*@@$/, "").trim();
  const anchors = [unmarked, longestWord([unmarked])?.text ?? ""];
  for (const anchor of anchors) {
    const lines: { readonly line: number; readonly text: string }[] = [];
    for (const line of linesWith(source, anchor)) {
      lines.push({ line, text: foldGlyphs(source.lines.text(line)) });
      if (lines.length > 5_000) break;
    }
    for (const [index, test] of testsFor(foldGlyphs(header), foldGlyphs(unmarked)).entries()) {
      const found = lines.filter(({ text }) => test(text));
      if (found.length > 0) return found.map(({ line }) => ({ line, isExact: index < 2 }));
    }
  }
  return [];
}

function testsFor(header: string, unmarked: string): readonly ((text: string) => boolean)[] {
  return [
    (text) => text === header,
    (text) => text === unmarked,
    (text) => text.startsWith(unmarked),
    (text) => text.includes(unmarked),
  ];
}

/** A section goes on until a line that is indented no deeper and begins like a header itself. */
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
