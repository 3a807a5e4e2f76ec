import { foldGlyphs } from "./glyphs.ts";
import type { LineTable } from "./line-table.ts";
import { occurrences } from "./search.ts";
import type { Source } from "./source.ts";
import { squeezeText } from "./squeeze.ts";
import { indentationOf, isBlankLine } from "./tiers.ts";

/** The part of a file that a header names. */
export interface Section {
  /** The header's own line. */
  readonly header: number;
  /** The line after the last one that belongs to it. */
  readonly end: number;
}

/**
 * The sections that nested headers (outermost first) name; several when the innermost stands there often. Empty when
 * a header is not in the file.
 */
export function sectionsUnder(source: Source, headers: readonly string[]): readonly Section[] {
  let sections: readonly Section[] = [{ header: 0, end: source.lines.count }];
  for (const header of headers) {
    const lines = headerLines(source, header).filter((line) =>
      sections.some((section) => section.header <= line && line < section.end),
    );
    sections = lines.map((line) => ({ header: line, end: sectionEnd(source.lines, line) }));
  }
  return sections;
}

/** Lines that are the header; else lines that begin with it, as models shorten them; else lines that hold it. */
function headerLines(source: Source, header: string): readonly number[] {
  const wanted = foldGlyphs(header);
  const unmarked = foldGlyphs(header.replace(/\s*@@\s*$/, ""));
  const squeezed = squeezeText(unmarked);
  const lines = new Set<number>();
  for (const at of occurrences(source.squeezed.bytes, squeezed)) {
    lines.add(source.squeezed.lineAt(at));
    if (lines.size > 5_000) break;
  }
  const texts = [...lines].map((line) => ({ line, text: foldGlyphs(source.lines.text(line)) }));
  const tests = [
    (text: string) => text === wanted,
    (text: string) => text === unmarked,
    (text: string) => text.startsWith(unmarked),
    (text: string) => text.includes(unmarked),
  ];
  for (const test of tests) {
    const found = texts.filter(({ text }) => test(text));
    if (found.length > 0) return found.map(({ line }) => line);
  }
  return [];
}

/** A section goes on until a line that is indented no deeper and begins like a header itself. */
function sectionEnd(lines: LineTable, header: number): number {
  const text = lines.text(header);
  const depth = indentationOf(text).length;
  const marks = /^\s*(#+)/.exec(text)?.[1]?.length;
  for (let line = header + 1; line < lines.count; line += 1) {
    const next = lines.text(line);
    if (isBlankLine(next) || indentationOf(next).length > depth) continue;
    const body = next.trimStart();
    const endsSection = marks === undefined ? /^[\p{L}\p{N}_$@<"'[]/u.test(body) : marksOf(body) <= marks;
    if (endsSection) return line;
  }
  return lines.count;
}

function marksOf(text: string): number {
  return /^#+/.exec(text)?.[0].length ?? Number.POSITIVE_INFINITY;
}
