import type { DocumentContent, DocumentPart, DocumentWanted } from "../../../contract/document.ts";
import { cutPart, noSuchPart, splitAnchor } from "../../anchors.ts";
import type { ReadingContext } from "../../reader.ts";
import { markdownCell } from "../blocks.ts";
import {
  columnLetters,
  everything,
  parseSheetAnchor,
  type Range,
  showRange,
  showSheetName,
} from "./cell-address.ts";

/**
 * Shows the wanted cells of each sheet as a table with column letters and row numbers, without empty rows and columns.
 */
export function showSheets(
  sheets: readonly Sheet[],
  wanted: DocumentWanted,
  name: string,
  context: ReadingContext,
): Pick<DocumentContent, "consistsOf" | "parts" | "next"> {
  const { anchor, from } = splitAnchor(wanted.part);
  const { chosen, range, goesOn } = choose(sheets, anchor, name);
  const parts: DocumentPart[] = [];
  let left = wanted.maxChars;
  const answer = (next: string | undefined) => ({
    consistsOf: { one: "sheet", total: sheets.length },
    parts,
    next,
  });
  for (const [index, sheet] of chosen.entries()) {
    const sheetRange = index === 0 ? range : everything;
    const isFirst = parts.length === 0;
    const { part: whole, following } = fitPart(sheet, sheetRange, left, context);
    if (!isFirst && whole.text.length > left) return answer(nextAnchor(sheet, sheetRange, goesOn));
    const { part, next } = cutPart(whole, isFirst ? from : 1, Math.max(left, 1));
    parts.push(part);
    left -= part.text.length;
    if (next !== undefined) return answer(`${nextAnchor(sheet, sheetRange, goesOn)} from ${next}`);
    if (following !== undefined)
      return answer(nextAnchor(sheet, { ...sheetRange, firstRow: following }, goesOn));
  }
  return answer(undefined);
}

interface Chosen {
  readonly chosen: readonly Sheet[];
  readonly range: Range;
  readonly goesOn: boolean;
}

function choose(sheets: readonly Sheet[], anchor: string | undefined, name: string): Chosen {
  if (anchor === undefined) return { chosen: sheets, range: everything, goesOn: true };
  const find = (wanted: string) =>
    sheets.find((sheet) => sheet.name === wanted) ??
    sheets.find((sheet) => sheet.name.toLowerCase() === wanted.trim().toLowerCase());
  const parsed = parseSheetAnchor(anchor, (wanted) => find(wanted) !== undefined);
  const sheet = parsed && (parsed.sheet === undefined ? sheets[0] : find(parsed.sheet));
  if (!sheet) {
    const names = sheets.map((one) => showSheetName(one.name));
    const list = `${names.slice(0, 30).join(", ")}${names.length > 30 ? `, and ${names.length - 30} more` : ""}`;
    throw noSuchPart(
      anchor,
      name,
      `its sheets are ${list}`,
      names[0] === undefined ? undefined : `"${names[0]}", or "${names[0]}!A1:D20"`,
    );
  }
  const range = parsed.range ?? everything;
  // "Sheet1!A201:" is the `next` of a result for the whole workbook.
  const goesOn = parsed.range !== undefined && range.firstColumn === 1 && isOpen(range);
  const chosen = goesOn ? sheets.slice(sheets.indexOf(sheet)) : [sheet];
  return { chosen, range, goesOn };
}

function isOpen({ lastRow, lastColumn }: Range): boolean {
  return lastRow === Number.POSITIVE_INFINITY && lastColumn === Number.POSITIVE_INFINITY;
}

/** Returns the anchor of the rest. If only one sheet is wanted, it ends at the last possible cell. */
function nextAnchor(sheet: Sheet, range: Range, goesOn: boolean): string {
  if (goesOn || !isOpen(range)) return showRange(sheet.name, range);
  return showRange(sheet.name, { ...range, lastColumn: mostColumns, lastRow: mostRows });
}

const mostColumns = 16_384;
const mostRows = 1_048_576;

/** Shows as many rows as fit with their remarks, but at least one. */
function fitPart(
  sheet: Sheet,
  range: Range,
  maxChars: number,
  context: ReadingContext,
): { readonly part: DocumentPart; readonly following: number | undefined } {
  for (let target = maxChars; ; ) {
    const taken = takeRows(sheet, range, target, context);
    const part = showPart(sheet, taken, range);
    const excess = part.text.length - maxChars;
    if (excess <= 0 || taken.rows.length < 2) return { part, following: taken.following };
    // Each round drops at least one row.
    target = taken.size - excess - 1;
  }
}

interface Taken {
  readonly rows: readonly Row[];
  readonly columns: readonly number[];
  readonly size: number;
  readonly following: number | undefined;
}

/** Takes as many rows as fit, but at least one. */
function takeRows(sheet: Sheet, range: Range, maxChars: number, context: ReadingContext): Taken {
  const rows: Row[] = [];
  const columns = new Set<number>();
  let length = 0;
  let fitting = 0;
  const taken = (following: number | undefined): Taken => ({
    rows,
    columns: [...columns].sort((one, other) => one - other),
    size: fitting,
    following,
  });
  for (const row of sheet.rows(range)) {
    const before = length;
    length += 9;
    for (const { column, text } of row.cells) {
      columns.add(column);
      length += text.length + 1;
    }
    // A very long row counts for the budget, because thousands of cells may share one long text.
    if (length - before > longRow) context.budget.inflate(length - before);
    // Each column takes at least two characters per row, and a few in the header.
    const size = length + columns.size * (2 * rows.length + 12);
    if (rows.length > 0 && size > maxChars) return taken(row.number);
    fitting = size;
    rows.push(row);
    if (rows.length % 5000 === 0) {
      context.signal.throwIfAborted();
      context.progress(`row ${row.number} of ${sheet.name}`);
    }
  }
  return taken(undefined);
}

const longRow = 1024 * 1024;

function showPart(sheet: Sheet, { rows, columns, following }: Taken, range: Range): DocumentPart {
  const title = sheet.isHidden ? `${sheet.name} (hidden)` : undefined;
  if (rows.length === 0) return { anchor: showSheetName(sheet.name), title, text: "(empty)" };
  const shown: Range = {
    firstRow: rows[0]!.number,
    lastRow: rows.at(-1)!.number,
    firstColumn: columns[0]!,
    lastColumn: columns.at(-1)!,
  };
  const remarked = { ...range, lastRow: following === undefined ? range.lastRow : following - 1 };
  const text = [showTable(rows, columns), ...sheet.remarks(remarked)].join("\n");
  return { anchor: showRange(sheet.name, shown), title, text };
}

/** Shows rows as a table. Their cells must be in the order of `columns`. */
function showTable(rows: readonly Row[], columns: readonly number[]): string {
  const lines = [
    `| |${columns.map((column) => ` ${columnLetters(column)} |`).join("")}`,
    `|${"---|".repeat(columns.length + 1)}`,
  ];
  for (const { number, cells } of rows) {
    const texts = [String(number)];
    for (const { column, text } of cells) {
      while (columns[texts.length - 1]! < column) texts.push("");
      texts.push(markdownCell(text));
    }
    lines.push(markdownLine(texts, columns.length + 1));
  }
  return lines.join("\n");
}

/** Formats a row. A row without empty cells is joined directly, which is fastest. */
function markdownLine(texts: readonly string[], width: number): string {
  if (texts.length === width && !texts.includes("")) return `| ${texts.join(" | ")} |`;
  const cells = texts.map((text) => (text === "" ? " |" : ` ${text} |`)).join("");
  return `|${cells}${" |".repeat(width - texts.length)}`;
}

/** A sheet of a workbook, read on demand. */
export interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  /** Returns the rows with cells in the range, in order. They are read on demand. */
  rows(range: Range): Iterable<Row>;
  /** Returns lines about merged cells and comments in a range. */
  remarks(range: Range): readonly string[];
}

export interface Row {
  /** The number of the row, counted from 1. */
  readonly number: number;
  /** The cells that are not empty. */
  readonly cells: readonly Cell[];
}

export interface Cell {
  /** The number of the column, counted from 1. */
  readonly column: number;
  readonly text: string;
}

const mostNames = 40;

/** Returns notes that list the sheets, if there are several, and the defined names. */
export function notesOnSheets(sheets: readonly Sheet[], names: readonly string[]): readonly string[] {
  const notes: string[] = [];
  const list = sheets.map(({ name, isHidden }) => `${showSheetName(name)}${isHidden ? " (hidden)" : ""}`);
  if (sheets.length > 1 || sheets.some(({ isHidden }) => isHidden))
    notes.push(`Sheets: ${bounded(list, ", ")}`);
  if (names.length > 0)
    notes.push(
      `Names: ${bounded(
        names.map((name) => name.slice(0, 200)),
        "; ",
      )}`,
    );
  return notes;
}

function bounded(list: readonly string[], separator: string): string {
  if (list.length <= mostNames) return list.join(separator);
  return `${list.slice(0, mostNames).join(separator)}${separator}and ${list.length - mostNames} more`;
}

export interface Remarks {
  readonly merged: readonly Remark[];
  readonly comments: readonly Remark[];
}

export interface Remark {
  readonly range: Range;
  readonly text: string;
}

const mostRemarks = 50;

export function showRemarks({ merged, comments }: Remarks, range: Range): readonly string[] {
  const inRange = (remarks: readonly Remark[]) => {
    const found = remarks.filter((remark) => overlap(remark.range, range)).map(({ text }) => text);
    return found.length > mostRemarks
      ? [...found.slice(0, mostRemarks), `and ${found.length - mostRemarks} more`]
      : found;
  };
  const cells = inRange(merged);
  const notes = inRange(comments);
  return [
    ...(cells.length > 0 ? [`Merged: ${cells.join(", ")}`] : []),
    ...(notes.length > 0 ? ["Comments:", ...notes.map((note) => `- ${note}`)] : []),
  ];
}

function overlap(one: Range, other: Range): boolean {
  return (
    one.firstRow <= other.lastRow &&
    one.lastRow >= other.firstRow &&
    one.firstColumn <= other.lastColumn &&
    one.lastColumn >= other.firstColumn
  );
}
