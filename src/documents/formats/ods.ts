import type { Budget } from "../budget.ts";
import { type DocumentReader, damaged } from "../reader.ts";
import { link } from "../shared/blocks.ts";
import { openDocumentProperties } from "../shared/office-package.ts";
import { openOpenDocument } from "../shared/opendocument/open.ts";
import { readSpaces } from "../shared/opendocument/read-text.ts";
import { columnLetters, type Range, showSheetName } from "../shared/spreadsheet/cell-address.ts";
import { showNumber } from "../shared/spreadsheet/show-number.ts";
import {
  type Cell,
  notesOnSheets,
  type Remark,
  type Row,
  type Sheet,
  showRemarks,
  showSheets,
} from "../shared/spreadsheet/show-sheets.ts";
import { XmlReader } from "../xml/xml-reader.ts";

export const readOds: DocumentReader = (source, wanted, context) => {
  const opened = openOpenDocument(source, context);
  const xml = opened.zip.text("content.xml");
  if (xml === undefined) throw damaged(source.name, "content.xml is missing");
  const tables = new Tables(xml, `content.xml in ${source.name}`, context.budget);
  const { tables: list, names } = tables.list();
  const remarks = list.map(noRemarks);
  const sheets = list.map(
    ({ name, isHidden }, index): Sheet => ({
      name,
      isHidden,
      rows: (range) => {
        remarks[index] = noRemarks();
        return tables.rows(index, range, remarks[index]);
      },
      remarks: (range) => showRemarks(remarks[index]!, range),
    }),
  );
  return {
    format: "ods",
    description: "OpenDocument spreadsheet",
    properties: openDocumentProperties(opened),
    ...showSheets(sheets, wanted, source.name, context),
    notes: [
      ...opened.zip.notes,
      ...(wanted.part === undefined ? notesOnSheets(sheets, names) : []),
      ...list
        .filter((_, index) => remarks[index]!.goesBeyond)
        .map(({ name }) => `${showSheetName(name)} has cells past column XFD, which are not shown`),
    ],
  };
};

function noRemarks(): CellRemarks {
  return { merged: [], comments: [], goesBeyond: false };
}

/** The limit of columns in spreadsheet programs. */
const mostColumns = 16_384;

/** Reads the tables of a spreadsheet in file order. */
class Tables {
  readonly #open: () => XmlReader;
  readonly #budget: Budget;
  #reader: XmlReader;
  #children: Iterator<string, void> | undefined;
  #at = -1;

  constructor(xml: string, where: string, budget: Budget) {
    this.#open = () => new XmlReader(xml, where, budget);
    this.#budget = budget;
    this.#reader = this.#open();
  }

  list() {
    const reader = this.#open();
    const tables: { name: string; isHidden: boolean }[] = [];
    const names: string[] = [];
    const hidden = new Set<string>();
    for (const section of reader.children("office:document-content")) {
      if (section === "office:automatic-styles") readHidden(reader, hidden);
      if (section !== "office:body") continue;
      for (const child of reader.children("office:spreadsheet")) {
        if (child === "table:table")
          tables.push({
            name: reader.attribute("table:name") ?? "",
            isHidden: hidden.has(reader.attribute("table:style-name") ?? ""),
          });
        else if (child === "table:named-expressions") readNames(reader, names);
      }
    }
    return { tables, names };
  }

  *rows(index: number, range: Range, remarks: CellRemarks): Generator<Row> {
    if (!this.#children || this.#at >= index) {
      this.#reader = this.#open();
      this.#children = this.#reader.children("office:document-content", "office:body", "office:spreadsheet");
      this.#at = -1;
    }
    while (this.#at < index) if (this.#children.next().value === "table:table") this.#at += 1;
    yield* readRows(this.#reader, { number: 1, range, remarks, budget: this.#budget });
  }
}

/** Merged cells and comments, collected while rows are read. */
interface CellRemarks {
  readonly merged: Remark[];
  readonly comments: Remark[];
  /** Whether there are cells after the last possible column. */
  goesBeyond: boolean;
}

interface Reading {
  number: number;
  readonly range: Range;
  readonly remarks: CellRemarks;
  readonly budget: Budget;
}

function* readRows(reader: XmlReader, state: Reading): Generator<Row> {
  const { range, budget } = state;
  for (const name of reader.children()) {
    if (/^table:table-(?:header-)?rows$|^table:table-row-group$/.test(name)) yield* readRows(reader, state);
    if (name !== "table:table-row") continue;
    const first = state.number;
    if (first > range.lastRow) return;
    const times = countIn(reader, "table:number-rows-repeated");
    state.number += times;
    if (state.number <= range.firstRow) continue;
    const cells = readCells(reader, first, state);
    if (cells.length === 0) continue;
    const last = Math.min(first + times - 1, range.lastRow);
    for (let number = Math.max(first, range.firstRow); number <= last; number += 1) {
      budget.walk(cells.length);
      yield { number, cells };
    }
  }
}

function readCells(reader: XmlReader, row: number, { range, remarks, budget }: Reading): Cell[] {
  const cells: Cell[] = [];
  let next = 1;
  for (const name of reader.children()) {
    if (!/^table:(?:covered-)?table-cell$/.test(name)) continue;
    const first = next;
    next += countIn(reader, "table:number-columns-repeated");
    if (next <= range.firstColumn || first > range.lastColumn) continue;
    const { text, comment, covers } = readCell(reader);
    const address = `${columnLetters(first)}${row}`;
    const cell: Range = { firstRow: row, lastRow: row, firstColumn: first, lastColumn: first };
    if (comment !== undefined && comment !== "")
      remarks.comments.push({ range: cell, text: `${address}: ${comment}` });
    if (covers) {
      const lastColumn = first + covers.columns - 1;
      const lastRow = row + covers.rows - 1;
      const range = { ...cell, lastRow, lastColumn };
      remarks.merged.push({ range, text: `${address}:${columnLetters(lastColumn)}${lastRow}` });
    }
    if (text === "") continue;
    if (Math.min(next - 1, range.lastColumn) > mostColumns) remarks.goesBeyond = true;
    const last = Math.min(next - 1, range.lastColumn, mostColumns);
    const start = Math.max(first, range.firstColumn);
    budget.inflate(text.length * Math.max(last - start, 0));
    for (let column = start; column <= last; column += 1) cells.push({ column, text });
  }
  return cells;
}

function readHidden(reader: XmlReader, hidden: Set<string>): void {
  for (const _ of reader.children()) {
    const name = reader.attribute("style:name") ?? "";
    for (const property of reader.children())
      if (property === "style:table-properties" && reader.attribute("table:display") === "false")
        hidden.add(name);
  }
}

function readNames(reader: XmlReader, names: string[]): void {
  for (const _ of reader.children()) {
    const address = reader.attribute("table:cell-range-address") ?? reader.attribute("table:expression");
    names.push(
      `${reader.attribute("table:name") ?? ""} = ${(address ?? "").replace(/^\$/, "").replace(".", "!")}`,
    );
  }
}

function readCell(reader: XmlReader) {
  const type = reader.attribute("office:value-type");
  const value = reader.attribute(valueAttributes[type ?? ""] ?? "office:value") ?? "";
  const formula = reader.attribute("table:formula");
  const columns = countIn(reader, "table:number-columns-spanned");
  const rows = countIn(reader, "table:number-rows-spanned");
  const paragraphs: string[] = [];
  let comment: string | undefined;
  for (const name of reader.children()) {
    if (name === "office:annotation") comment = readComment(reader);
    else if (name === "text:p") paragraphs.push(readParagraph(reader));
  }
  const text = paragraphs.join("\n").trim();
  const shown = showValue(type, value, text);
  const computed = formula === undefined ? "" : `=${plainFormula(formula)}`;
  return {
    text: computed === "" ? shown : shown === "" ? computed : `${shown} (${computed})`,
    comment,
    covers: columns > 1 || rows > 1 ? { columns, rows } : undefined,
  };
}

/** Returns a repeat or span count; 1 for an invalid number. */
function countIn(reader: XmlReader, attribute: string): number {
  const count = Number(reader.attribute(attribute) ?? "1");
  return Number.isSafeInteger(count) && count > 0 ? count : 1;
}

const valueAttributes: Readonly<Record<string, string>> = {
  date: "office:date-value",
  time: "office:time-value",
  boolean: "office:boolean-value",
  string: "office:string-value",
};

function showValue(type: string | undefined, value: string, text: string): string {
  // Errors are only in the text.
  if (type === undefined || type === "string" || value === "" || /^(?:#|Err:)/.test(text))
    return text || value;
  if (type === "boolean") return value.toUpperCase();
  if (type === "percentage") return showNumber(value, "percent", false);
  if (type === "float" || type === "currency") return showNumber(value, "plain", false);
  if (type === "time") return showTime(value);
  return value;
}

/** Shows "PT14H30M00S" as "14:30:00". */
function showTime(value: string): string {
  const match = /^(-?)P(?:(\d+)D)?T(\d+)H(\d+)M(\d+)(?:[.,]\d+)?S$/.exec(value);
  if (!match) return value;
  const [, sign, days = "0", hours, minutes, seconds] = match;
  const all = String(Number(days) * 24 + Number(hours)).padStart(2, "0");
  return `${sign}${all}:${minutes!.padStart(2, "0")}:${seconds!.padStart(2, "0")}`;
}

/** Converts "of:=SUM([.B2:.B4];[Other.C1])" to the form that spreadsheets show: "SUM(B2:B4;Other!C1)". */
export function plainFormula(formula: string): string {
  return formula
    .replace(/^(?:\w+:)?=/, "")
    .replaceAll(/"[^"]*"|\[([^\]]*)\]/g, (whole, reference: string | undefined) =>
      reference === undefined ? whole : plainReference(reference),
    );
}

function plainReference(reference: string): string {
  return reference
    .split(/:(?=(?:[^']*'[^']*')*[^']*$)/)
    .map((end) => {
      const dot = end.lastIndexOf(".");
      const sheet = end.slice(0, Math.max(dot, 0)).replace(/^\$/, "");
      const cell = end.slice(dot + 1);
      return sheet === "" ? cell : `${sheet}!${cell}`;
    })
    .join(":");
}

function readComment(reader: XmlReader): string {
  let author = "";
  const paragraphs: string[] = [];
  for (const name of reader.children()) {
    if (name === "dc:creator") author = reader.content().trim();
    else if (name === "text:p") paragraphs.push(readParagraph(reader));
  }
  const text = paragraphs.join(" ").replaceAll(/\s+/g, " ").trim();
  return author === "" ? text : `${author}: ${text}`;
}

function readParagraph(reader: XmlReader): string {
  const { depth } = reader;
  let text = "";
  for (;;) {
    const node = reader.node(depth);
    if (node === undefined) return text;
    if (node === "text") text += reader.text.replaceAll(/\s+/g, " ");
    else if (reader.name === "text:s") text += readSpaces(reader);
    else if (reader.name === "text:tab") text += "\t";
    else if (reader.name === "text:line-break") text += "\n";
    else if (reader.name === "text:a") {
      const target = reader.attribute("xlink:href");
      text += link(readParagraph(reader), target);
    } else text += readParagraph(reader);
  }
}
