import type { DocumentSource } from "../../contract/document.ts";
import { byteOrderMarkLength, decodeText, detectEncoding, detectionBytes } from "../../lib/text/encoding.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { anchorOf, cutPart, wantedParts } from "../anchors.ts";
import type { DocumentReader } from "../reader.ts";
import { markdownRow } from "../shared/blocks.ts";

/** Reads tables of separated values. Rows are numbered from the first one below the column names. */
export const readCsv: DocumentReader = (source, wanted, context) => {
  const { text, encoding } = decode(source);
  const dialect = detectDialect(text.slice(0, detectionBytes), isTabbed(source) ? "\t" : ",");
  const index = indexRows(text, dialect, dialect.namesDelimiter ? text.indexOf("\n") + 1 : 0);
  const read = (row: number): readonly string[] => {
    const isPlain = index.unclosed !== undefined && row >= index.unclosed;
    const line = text.slice(index.starts[row], index.starts[row + 1]);
    const cells = splitRows(line, isPlain ? { ...dialect, quote: "\0" } : dialect)[0] ?? [];
    context.budget.walk(cells.length + 1);
    return cells;
  };
  const count = index.starts.length;
  const beginning = Array.from({ length: Math.min(count, 100) }, (_, row) => read(row));
  const headRows = hasHeader(beginning) ? 1 : 0;
  const width = beginning[0]?.length ?? 0;
  const head =
    headRows === 1 ? beginning[0]! : Array.from({ length: width }, (_, column) => `column ${column + 1}`);
  const order = { one: "row", total: count - headRows, name: source.name };
  const content = {
    format: isTabbed(source) ? "tsv" : "csv",
    description: `${delimiterNames[dialect.delimiter] ?? dialect.delimiter}-separated values`,
    properties: { columns: String(width), "column names": headRows === 1 ? "yes" : "no", encoding },
    consistsOf: { one: "row", total: order.total },
    notes: notesOn(index, headRows),
  };
  if (order.total === 0 && wanted.part === undefined)
    return { ...content, parts: [{ anchor: "", text: count === 0 ? "(empty)" : table(head, []) }] };
  const { first, last, from: character } = wantedParts(wanted.part, order);
  const lines: string[] = [];
  let length = table(head, []).length;
  let row = first;
  for (; row <= last; row += 1) {
    const line = markdownRow(read(row - 1 + headRows));
    length += line.length + 1;
    if (row > first && length > wanted.maxChars) break;
    lines.push(line);
    if (lines.length % 10_000 === 0) context.progress(`row ${row} of ${order.total}`);
  }
  const shown = anchorOf({ first, last: row - 1, from: 1 }, { one: "row", total: Number.NaN });
  const { part, next } = cutPart({ anchor: shown, text: table(head, lines) }, character, wanted.maxChars);
  const rest = next === undefined ? { first: row, last, from: 1 } : { first, last, from: next };
  return { ...content, parts: [part], next: rest.first <= last ? anchorOf(rest, order) : undefined };
};

const delimiterNames: Readonly<Record<string, string>> = {
  ",": "comma",
  ";": "semicolon",
  "\t": "tab",
  "|": "bar",
};

function table(head: readonly string[], lines: readonly string[]): string {
  return [markdownRow(head), `|${"---|".repeat(head.length)}`, ...lines].join("\n");
}

function isTabbed({ name, mediaType }: DocumentSource): boolean {
  return /\.(?:tsv|tab)$/i.test(name) || /tab-separated/i.test(mediaType ?? "");
}

/** Decodes UTF-8 or UTF-16, else the declared charset, else Windows-1252. */
function decode({ bytes, mediaType }: DocumentSource): { readonly text: string; readonly encoding: string } {
  const head = bytes.subarray(0, detectionBytes);
  const encoding = detectEncoding(head, { complete: head.length === bytes.length });
  const plain = bytes.subarray(byteOrderMarkLength(head));
  if (encoding.startsWith("utf-16"))
    return { text: decodeText(plain, encoding as "utf-16le").text, encoding };
  const declared = /charset\s*=\s*"?(iso-8859-\d+|windows-\d+|koi8-[ru]|macintosh)\b/i.exec(
    mediaType ?? "",
  )?.[1];
  const label = encoding.startsWith("utf-8") ? "utf-8" : (declared?.toLowerCase() ?? "windows-1252");
  return { text: new TextDecoder(label, { ignoreBOM: true }).decode(plain), encoding: label };
}

function notesOn({ ragged, raggedCount, unclosed }: RowIndex, headRows: number): readonly string[] {
  const notes: string[] = [];
  const number = (row: number) => row + 1 - headRows;
  if (raggedCount > 0) {
    const list = ragged.map(number).join(", ");
    const more = raggedCount > ragged.length ? ", and more" : "";
    const rows = counted(raggedCount, "row has", "rows have");
    notes.push(`${rows} a different number of cells than the first: ${list}${more}`);
  }
  if (unclosed !== undefined)
    notes.push(
      `a quote in row ${number(unclosed)} is never closed: from there on quotes are shown as they are`,
    );
  return notes;
}

export interface Dialect {
  readonly delimiter: string;
  readonly quote: string;
  /** Whether the first line is `sep=;`, as Excel writes it. That line is not a row. */
  readonly namesDelimiter: boolean;
}

/** Chooses the delimiter that gives most rows the same number of cells, if that is more than one. Default: `usual`. */
export function detectDialect(sample: string, usual: string): Dialect {
  const named = /^sep=(.)\r?\n/i.exec(sample);
  if (named) return { delimiter: named[1]!, quote: '"', namesDelimiter: true };
  const ordered = [...new Set([usual, ",", "\t", ";", "|"])];
  const scores = ordered.map((delimiter) => score(sample, { delimiter, quote: '"', namesDelimiter: false }));
  const best = scores.indexOf(Math.max(...scores));
  return { delimiter: scores[best]! > 0 ? ordered[best]! : usual, quote: '"', namesDelimiter: false };
}

function score(sample: string, dialect: Dialect): number {
  const rows = splitRows(sample, dialect).slice(0, 200);
  // The last row of the sample may be cut off.
  if (rows.length > 1) rows.pop();
  const widths = new Map<number, number>();
  for (const { length } of rows) widths.set(length, (widths.get(length) ?? 0) + 1);
  let best = 0;
  for (const [width, count] of widths)
    if (width > 1) best = Math.max(best, count / rows.length + Math.min(width, 50) / 1000);
  return best;
}

/** Splits a text into rows of cells, without empty lines. */
export function splitRows(text: string, { delimiter, quote }: Dialect): string[][] {
  const rows: string[][] = [];
  let at = 0;
  while (at < text.length) {
    const row: string[] = [];
    const start = at;
    for (;;) {
      const close = text[at] === quote ? closingQuote(text, at, quote) : -1;
      const end = endOfCell(text, close === -1 ? at : close + 1, delimiter);
      // A quote that is never closed is an ordinary character.
      const quoted = close === -1 ? "" : text.slice(at + 1, close).replaceAll(quote + quote, quote);
      row.push(quoted + text.slice(close === -1 ? at : close + 1, end));
      at = end + 1;
      if (text[end] === delimiter) continue;
      if (end > start) rows.push(row);
      break;
    }
  }
  return rows;
}

/** Returns the position of the closing quote; -1 if there is none. */
function closingQuote(text: string, open: number, quote: string): number {
  let close = text.indexOf(quote, open + 1);
  while (close !== -1 && text[close + 1] === quote) close = text.indexOf(quote, close + 2);
  return close;
}

function endOfCell(text: string, from: number, delimiter: string): number {
  const sign = delimiter.charCodeAt(0);
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === sign || code === lineFeed || code === carriageReturn) return at;
  }
  return text.length;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Whether the first row contains column names: different texts, above rows with values or other texts. */
export function hasHeader(rows: readonly (readonly string[])[]): boolean {
  const [first, ...others] = rows;
  if (!first || others.length === 0) return false;
  const names = first.map((cell) => cell.trim());
  if (names.some((name) => name === "" || isValue(name)) || new Set(names).size < names.length) return false;
  const hasValues = names.some((_, column) => others.some((row) => isValue(row[column]?.trim() ?? "")));
  // In a table of words, column names are short and not repeated below.
  return (
    hasValues ||
    names.every(
      (name, column) =>
        name.length <= 40 && !/[.!?]\s/.test(name) && others.every((row) => row[column]?.trim() !== name),
    )
  );
}

/** Whether a text is a value, such as a number, a date or an address, and so not a column name. */
function isValue(text: string): boolean {
  return /^[-+(]?[\p{Sc}]?\s?\d[\d.,:/' -]*(?:[eE][-+]?\d+)?\s?[%\p{Sc})]?$|^\d{4}-\d\d-\d\d|^(?:true|false|null|n\/a)$|^https?:|@.+\./iu.test(
    text,
  );
}

export interface RowIndex {
  readonly starts: readonly number[];
  /** The first twenty rows whose number of cells differs from the first row, counted from 0. */
  readonly ragged: readonly number[];
  readonly raggedCount: number;
  /** The row with a quote that is never closed. From there on, quotes are ordinary characters. */
  readonly unclosed: number | undefined;
}

/** Finds the rows without splitting them, because only the shown rows need their cells. */
export function indexRows(text: string, { delimiter, quote }: Dialect, from: number): RowIndex {
  const starts: number[] = [];
  const ragged: number[] = [];
  let raggedCount = 0;
  let width = 0;
  let unclosed: number | undefined;
  for (let at = from; at < text.length; ) {
    const start = at;
    let cells = 0;
    for (; ; at += 1) {
      cells += 1;
      const close = text[at] === quote && unclosed === undefined ? closingQuote(text, at, quote) : 0;
      if (close === -1) unclosed = starts.length;
      at = endOfCell(text, close > 0 ? close + 1 : at, delimiter);
      if (text[at] !== delimiter) break;
    }
    if (at > start) {
      if (starts.length === 0) width = cells;
      else if (cells !== width && raggedCount++ < 20) ragged.push(starts.length);
      starts.push(start);
    }
    at += 1;
  }
  return { starts, ragged, raggedCount, unclosed };
}
