import type { DocumentSource } from "../../contract/document.ts";
import { byteOrderMarkLength, decodeText, detectEncoding, detectionBytes } from "../../lib/text/encoding.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { anchorOf, cutPart, wantedParts } from "../anchors.ts";
import type { DocumentReader } from "../reader.ts";
import { markdownRow } from "../shared/blocks.ts";

/** By rows, which are counted from the first below the names of the columns. */
export const readCsv: DocumentReader = (source, wanted, context) => {
  const { bytes, decode, encoding } = toBytes(source);
  const sample = decode(bytes.subarray(0, detectionBytes));
  const dialect = detectDialect(sample, isTabbed(source) ? "\t" : ",");
  const from = dialect.namesDelimiter ? bytes.indexOf(0x0a) + 1 : 0;
  const index = indexRows(bytes, dialect, from);
  const read = (row: number): readonly string[] => {
    const isPlain = index.unclosed !== undefined && row >= index.unclosed;
    const text = decode(bytes.subarray(index.start(row), index.start(row + 1)));
    const cells = splitRows(text, isPlain ? { ...dialect, quote: "\0" } : dialect)[0] ?? [];
    context.budget.walk(cells.length + 1);
    return cells;
  };
  const beginning = Array.from({ length: Math.min(index.count, 100) }, (_, row) => read(row));
  const headRows = hasHeader(beginning) ? 1 : 0;
  const width = beginning[0]?.length ?? 0;
  const head =
    headRows === 1 ? beginning[0]! : Array.from({ length: width }, (_, column) => `column ${column + 1}`);
  const order = { one: "row", total: index.count - headRows, name: source.name };
  const content = {
    format: isTabbed(source) ? "tsv" : "csv",
    description: `${delimiterNames[dialect.delimiter] ?? dialect.delimiter}-separated values`,
    properties: { columns: String(width), "column names": headRows === 1 ? "yes" : "no", encoding },
    consistsOf: { one: "row", total: order.total },
    images: [],
    notes: notesOn(index, headRows),
  };
  if (order.total === 0 && wanted.part === undefined) {
    const text = headRows === 0 && index.count === 0 ? "(empty)" : table(head, []);
    return { ...content, parts: [{ anchor: "", text }], next: undefined };
  }
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
  return {
    ...content,
    parts: [part],
    next: rest.first <= last ? anchorOf(rest, order) : undefined,
  };
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

interface Decoding {
  readonly bytes: Uint8Array;
  readonly encoding: string;
  readonly decode: (bytes: Uint8Array) => string;
}

/** As bytes in which all signs of a dialect are single ones. */
function toBytes({ bytes, mediaType }: DocumentSource): Decoding {
  const head = bytes.subarray(0, detectionBytes);
  const detected = detectEncoding(head, { complete: head.length === bytes.length });
  const encoding = detected === "binary" ? "latin1" : detected;
  const plain = bytes.subarray(byteOrderMarkLength(head));
  if (encoding === "utf-16le" || encoding === "utf-16be") {
    const text = decodeText(plain, encoding).text;
    return { bytes: Buffer.from(text), encoding, decode: decoderOf("utf-8") };
  }
  const declared = /charset\s*=\s*"?([\w-]+)/i.exec(mediaType ?? "")?.[1]?.toLowerCase();
  const isUtf8 = encoding === "utf-8" || encoding === "utf-8-bom";
  // Text that is not UTF-8 is read as Windows-1252, unless a charset is declared.
  const label = isUtf8
    ? "utf-8"
    : declared !== undefined && isSingleByte(declared)
      ? declared
      : "windows-1252";
  return { bytes: plain, encoding: label, decode: decoderOf(label) };
}

function isSingleByte(label: string): boolean {
  return /^(?:iso-8859-\d+|windows-\d+|koi8-[ru]|macintosh)$/.test(label);
}

function decoderOf(label: string): (bytes: Uint8Array) => string {
  const decoder = new TextDecoder(label, { ignoreBOM: true });
  return (bytes) => decoder.decode(bytes);
}

function notesOn({ ragged, raggedCount, unclosed }: RowIndex, headRows: number): readonly string[] {
  const notes: string[] = [];
  const number = (row: number) => row + 1 - headRows;
  if (raggedCount > 0) {
    const list = ragged.map(number).join(", ");
    const more = raggedCount > ragged.length ? ", and more" : "";
    const rows = counted(raggedCount, "row has", "rows have");
    notes.push(`${rows} another number of cells than the first: ${list}${more}`);
  }
  if (unclosed !== undefined)
    notes.push(
      `a quote in row ${number(unclosed)} is never closed: from there on quotes are shown as they are`,
    );
  return notes;
}

/** How the cells of a file are told apart. All signs are ASCII. */
export interface Dialect {
  readonly delimiter: string;
  readonly quote: string;
  /** Its first line names the delimiter, as Excel writes it, and is no row: `sep=;`. */
  readonly namesDelimiter: boolean;
}

const delimiters = [",", "\t", ";", "|"] as const;

/**
 * By the beginning of a file: the delimiter with which most of its rows have the same number of cells, and more than
 * one. `usual` where nothing tells.
 */
export function detectDialect(sample: string, usual: string): Dialect {
  const named = /^sep=(.)\r?\n/i.exec(sample);
  if (named) return { delimiter: named[1]!, quote: '"', namesDelimiter: true };
  const ordered = [usual, ...delimiters.filter((delimiter) => delimiter !== usual)];
  const scores = ordered.map((delimiter) => score(sample, { delimiter, quote: '"', namesDelimiter: false }));
  const best = scores.indexOf(Math.max(...scores));
  return { delimiter: scores[best]! > 0 ? ordered[best]! : usual, quote: '"', namesDelimiter: false };
}

function score(sample: string, dialect: Dialect): number {
  const rows = splitRows(sample, dialect).slice(0, 200);
  // The last may be cut off.
  if (rows.length > 1) rows.pop();
  const widths = new Map<number, number>();
  for (const { length } of rows) widths.set(length, (widths.get(length) ?? 0) + 1);
  let best = 0;
  for (const [width, count] of widths)
    if (width > 1) best = Math.max(best, count / rows.length + Math.min(width, 50) / 1000);
  return best;
}

/** Rows of cells; lines with nothing in them are none. */
export function splitRows(text: string, { delimiter, quote }: Dialect): string[][] {
  const rows: string[][] = [];
  let at = 0;
  while (at < text.length) {
    const row: string[] = [];
    const start = at;
    for (;;) {
      const cell = readCell(text, at, delimiter, quote);
      row.push(cell.text);
      at = cell.end + 1;
      if (text[cell.end] !== delimiter) {
        if (cell.end > start) rows.push(row);
        break;
      }
    }
  }
  return rows;
}

/** The cell that begins at `start`; `end` is where its delimiter or its line end stands. */
function readCell(
  text: string,
  start: number,
  delimiter: string,
  quote: string,
): { readonly text: string; readonly end: number } {
  let at = start;
  let quoted = "";
  if (text[at] === quote) {
    for (;;) {
      const close = text.indexOf(quote, at + 1);
      // A quote that is never closed is an ordinary character.
      if (close < 0)
        return { text: text.slice(start, endOf(text, start, delimiter)), end: endOf(text, start, delimiter) };
      quoted += text.slice(at + 1, close);
      at = close + 1;
      if (text[at] !== quote) break;
      quoted += quote;
    }
  }
  const end = endOf(text, at, delimiter);
  return { text: quoted + text.slice(at, end), end };
}

function endOf(text: string, from: number, delimiter: string): number {
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === delimiter || sign === "\n" || sign === "\r") return at;
  }
  return text.length;
}

/** The first row says what the columns are: words, each of its own, where below there are also numbers or nothing. */
export function hasHeader(rows: readonly (readonly string[])[]): boolean {
  const [first, ...others] = rows;
  if (!first || others.length === 0) return false;
  const names = first.map((cell) => cell.trim());
  if (names.some((name) => name === "" || isValue(name)) || new Set(names).size < names.length) return false;
  const hasValues = names.some((_, column) => others.some((row) => isValue(row[column]?.trim() ?? "")));
  // Where all is words, a name is short and none of those below it.
  return (
    hasValues ||
    names.every(
      (name, column) =>
        name.length <= 40 && !/[.!?]\s/.test(name) && others.every((row) => row[column]?.trim() !== name),
    )
  );
}

/** A number, a date, an address: nothing that a column would be called. */
function isValue(text: string): boolean {
  return /^[-+(]?[\p{Sc}]?\s?\d[\d.,:/' -]*(?:[eE][-+]?\d+)?\s?[%\p{Sc})]?$|^\d{4}-\d\d-\d\d|^(?:true|false|null|n\/a)$|^https?:|@.+\./iu.test(
    text,
  );
}

/** Where the rows of a file are. Found by one walk over its bytes: only what is shown is ever decoded. */
export interface RowIndex {
  readonly count: number;
  /** Where a row begins, counted from 0; the end of the last one for `count`. */
  start(row: number): number;
  /** Rows that have another number of cells than the first, counted from 0. */
  readonly ragged: readonly number[];
  readonly raggedCount: number;
  /** The row in which a quote begins that never ends: from there on quotes are signs like any other. */
  readonly unclosed: number | undefined;
}

/** Of every so many rows the place is kept, the others are found from it. */
const stride = 256;
const mostRagged = 20;

export function indexRows(bytes: Uint8Array, dialect: Dialect, from: number): RowIndex {
  const places: number[] = [];
  const ragged: number[] = [];
  let count = 0;
  let raggedCount = 0;
  let width = 0;
  const unclosed = walkRows(bytes, dialect, { from, quotesEnd: bytes.length }, (start, cells) => {
    if (count % stride === 0) places.push(start);
    if (count === 0) width = cells;
    else if (cells !== width && raggedCount++ < mostRagged) ragged.push(count);
    count += 1;
    return true;
  });
  const quotesEnd = unclosed ?? bytes.length;
  let last = { row: -1, start: -1 };
  return {
    count,
    ragged,
    raggedCount,
    unclosed: unclosed === undefined ? undefined : rowAt(unclosed),
    start,
  };

  function start(row: number): number {
    if (row >= count) return bytes.length;
    const near = Math.floor(row / stride);
    let at =
      last.row >= near * stride && last.row <= row ? last : { row: near * stride, start: places[near]! };
    if (at.row < row) {
      let number = at.row - 1;
      let found = at.start;
      walkRows(bytes, dialect, { from: at.start, quotesEnd }, (place) => {
        number += 1;
        found = place;
        return number < row;
      });
      at = { row, start: found };
    }
    last = at;
    return at.start;
  }

  function rowAt(place: number): number {
    let row = places.findLastIndex((start) => start <= place) * stride;
    while (row + 1 < count && start(row + 1) <= place) row += 1;
    return row;
  }
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

interface Walk {
  readonly from: number;
  /** Quotes from here on are ordinary characters. */
  readonly quotesEnd: number;
}

/**
 * Tells `each` row that has something in it, where it begins and how many cells it has, until that says false. Answers
 * where a quote stands that never ends, which then counts as the last.
 */
function walkRows(
  bytes: Uint8Array,
  dialect: Dialect,
  { from, quotesEnd }: Walk,
  each: (start: number, cells: number) => boolean,
): number | undefined {
  const delimiter = dialect.delimiter.charCodeAt(0);
  const quote = dialect.quote.charCodeAt(0);
  const { length } = bytes;
  let unclosed: number | undefined;
  let start = from;
  let cells = 1;
  let beginsCell = true;
  for (let at = from; at <= length; at += 1) {
    const byte = at === length ? lineFeed : bytes[at]!;
    if (byte === quote && beginsCell && at < quotesEnd && unclosed === undefined) {
      const close = endOfQuoted(bytes, at, quote);
      if (close < 0) unclosed = at;
      else at = close;
      beginsCell = false;
    } else if (byte === delimiter) {
      cells += 1;
      beginsCell = true;
    } else if (byte === lineFeed || byte === carriageReturn) {
      if (at > start && !each(start, cells)) return unclosed;
      start = at + 1;
      cells = 1;
      beginsCell = true;
    } else beginsCell = false;
  }
  return unclosed;
}

function endOfQuoted(bytes: Uint8Array, at: number, quote: number): number {
  const { length } = bytes;
  for (let close = at + 1; close < length; close += 1)
    if (bytes[close] === quote) {
      if (bytes[close + 1] !== quote) return close;
      close += 1;
    }
  return -1;
}
