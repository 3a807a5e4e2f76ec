import { blockOfTexts } from "../../edit/block.ts";
import { findingsOf } from "../../edit/match/locate.ts";
import { everyOccurrence } from "../../edit/match/search.ts";
import { bytesOf, type Source } from "../../edit/source.ts";
import { maxLocations, type TextLocation } from "./location.ts";

/** Returns the positions at which a text occurs exactly, except for line ends. */
export function exactLocations(source: Source, text: string): readonly TextLocation[] {
  const sought = bytesOf(text);
  const literal: TextLocation[] = [];
  for (const start of everyOccurrence(source.utf8.bytes, sought)) {
    literal.push(locationOf(source, "text", start, start + sought.length));
    if (literal.length === maxLocations) break;
  }
  if (literal.length > 0 || !/[\r\n]/.test(text)) return literal;
  return tolerantMatches(source, text)
    .filter(({ tier }) => tier === "exact")
    .slice(0, maxLocations)
    .map(({ start, end }) => locationOf(source, "text", start, end));
}

/** Returns where a text occurs with other indentation, glyphs or wrapping, as `edit.replace` finds it. */
export function tolerantLocations(source: Source, text: string): readonly TextLocation[] {
  return tolerantMatches(source, text)
    .slice(0, maxLocations)
    .map(({ start, end }) => locationOf(source, "tolerant text", start, end));
}

function tolerantMatches(source: Source, text: string) {
  // The text is replaced with itself, because only the location matters.
  return findingsOf(source, blockOfTexts("the location", text, text)).flatMap(({ matches }) => matches);
}

function locationOf(source: Source, way: TextLocation["way"], start: number, end: number): TextLocation {
  const { utf8, lines } = source;
  const units = utf8.slice(0, start).length;
  const firstLine = lines.lineAt(start) + 1;
  const lastLine = Math.max(firstLine, lines.lineAt(Math.max(start, end - 1)) + 1);
  return { way, start: units, end: units + utf8.slice(start, end).length, firstLine, lastLine, score: 1 };
}

export interface LineSpan {
  readonly first: number;
  readonly last: number;
}

/** Returns the lines named by number: "line 42", "at line 42", "line: 42", "lines 10-20", "10-20", "L7-L9", "42". */
export function lineNumbersIn(location: string): LineSpan | undefined {
  const match = lineRange.exec(location.trim());
  if (!match) return undefined;
  const first = Number(match[1]);
  return { first, last: match[2] === undefined ? first : Number(match[2]) };
}

const lineRange =
  /^(?:(?:at|on|in)\s+)?(?:lines?\s*:?\s*|l(?:ine)?\.?\s*|#l)?(\d{1,9})(?:\s*(?:-|–|—|\.\.|to|through)\s*(?:lines?\s*|l)?(\d{1,9}))?$/i;

/** Returns whether numbers are not a range of lines: "3:12" (line and column), "lines 3 and 12", "3, 12". */
export function isUnclearNumbers(location: string): boolean {
  return location.length <= maxChars && severalNumbers.test(location.trim());
}

const maxChars = 200;
const severalNumbers =
  /^(?:(?:at|on|in)\s+)?(?:lines?\s*:?\s*|l(?:ine)?\.?\s*|#l)?\d{1,9}(?:\s*(?::|,|;|&|\+|,?\s*and|or)\s*(?:lines?\s*|l)?\d{1,9})+:?$/i;

export class LineTable {
  readonly #text: string;
  readonly #starts: readonly number[];
  readonly #lineEnd: RegExp;

  constructor(text: string) {
    this.#text = text;
    // A lone carriage return ends a line in a text without line feeds.
    const [mark, last] = text.includes("\n") ? ["\n", /\r?\n$/] : ["\r", /\r$/];
    this.#lineEnd = last;
    const starts = [0];
    for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) starts.push(at + 1);
    if (starts.length > 1 && starts.at(-1) === text.length) starts.pop();
    this.#starts = starts;
  }

  get count(): number {
    return this.#starts.length;
  }

  start(line: number): number {
    return this.#starts[line - 1]!;
  }

  end(line: number): number {
    const next = this.next(line);
    const lineEnd = this.#lineEnd.exec(this.#text.slice(Math.max(this.start(line), next - 2), next));
    return next - (lineEnd?.[0].length ?? 0);
  }

  next(line: number): number {
    return this.#starts[line] ?? this.#text.length;
  }

  span(first: number, last: number): Pick<TextLocation, "start" | "end" | "firstLine" | "lastLine"> {
    return { start: this.start(first), end: this.end(last), firstLine: first, lastLine: last };
  }

  text(line: number): string {
    return this.#text.slice(this.start(line), this.end(line));
  }
}
