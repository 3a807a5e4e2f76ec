import type { Budget } from "../../budget.ts";
import { XmlReader } from "../../xml/xml-reader.ts";
import { columnLetters, type Range } from "../sheets/cell-address.ts";
import { inOrder } from "../sheets/in-order.ts";
import type { Remark } from "../sheets/remarks.ts";
import type { Cell, Row } from "../sheets/sheet.ts";
import { countIn, readCell } from "./read-cell.ts";

/** No spreadsheet program has more. */
const mostColumns = 16_384;

/** What the tables of a spreadsheet are called, and what it gives names. */
export interface Contents {
  readonly tables: readonly { readonly name: string; readonly isHidden: boolean }[];
  readonly names: readonly string[];
}

/** The content of a spreadsheet, gone through from table to table. */
export class Tables {
  readonly #xml: string;
  readonly #where: string;
  readonly #budget: Budget;
  #reader: XmlReader | undefined;
  #depth = 0;
  /** Which table the reader stands at. */
  #at = -1;

  constructor(xml: string, where: string, budget: Budget) {
    this.#xml = xml;
    this.#where = where;
    this.#budget = budget;
  }

  /** All of them, without looking into any. */
  list(): Contents {
    const reader = new XmlReader(this.#xml, this.#where, this.#budget);
    const tables: { name: string; isHidden: boolean }[] = [];
    const names: string[] = [];
    const hidden = new Set<string>();
    reader.child(0);
    const root = reader.depth;
    while (reader.child(root)) {
      if (reader.is("office:automatic-styles")) readHidden(reader, hidden);
      if (!reader.is("office:body")) continue;
      const body = reader.depth;
      while (reader.child(body)) {
        if (!reader.is("office:spreadsheet")) continue;
        const { depth } = reader;
        while (reader.child(depth)) {
          if (reader.is("table:table"))
            tables.push({
              name: reader.attribute("table:name") ?? "",
              isHidden: hidden.has(reader.attribute("table:style-name") ?? ""),
            });
          else if (reader.is("table:named-expressions")) readNames(reader, names);
        }
      }
    }
    return { tables, names };
  }

  /** The rows of one of them, and what is said of its cells. */
  *rows(index: number, range: Range, told: Told): Generator<Row> {
    const reader = this.#goTo(index);
    if (!reader) return;
    const state = { number: 1, range, told, budget: this.#budget };
    yield* readRows(reader, state);
  }

  /** Forwards where it can. */
  #goTo(index: number): XmlReader | undefined {
    if (!this.#reader || this.#at >= index) {
      this.#reader = new XmlReader(this.#xml, this.#where, this.#budget);
      this.#at = -1;
      for (const name of ["", "office:body", "office:spreadsheet"]) {
        this.#depth = this.#reader.depth;
        while (this.#reader.child(this.#depth) && name !== "" && !this.#reader.is(name));
      }
      this.#depth = this.#reader.depth;
    }
    while (this.#at < index) {
      if (!this.#reader.child(this.#depth)) return undefined;
      if (this.#reader.is("table:table")) this.#at += 1;
    }
    return this.#reader;
  }
}

/** What is said of cells beside what is in them; filled while rows are read. */
export interface Told {
  readonly merged: Remark[];
  readonly comments: Remark[];
  /** Whether cells are left out because no spreadsheet has so many columns. */
  goesBeyond: boolean;
}

interface Reading {
  number: number;
  readonly range: Range;
  readonly told: Told;
  readonly budget: Budget;
}

function* readRows(reader: XmlReader, state: Reading): Generator<Row> {
  const { depth } = reader;
  const { range, budget } = state;
  while (reader.child(depth)) {
    if (/^table:table-(?:header-)?rows$|^table:table-row-group$/.test(reader.name)) {
      yield* readRows(reader, state);
      continue;
    }
    if (!reader.is("table:table-row")) continue;
    const first = state.number;
    if (first > range.lastRow) return;
    const times = countIn(reader, "table:number-rows-repeated");
    state.number += times;
    if (state.number <= range.firstRow) continue;
    const cells = inOrder(readCells(reader, first, state));
    if (cells.length === 0) continue;
    const last = Math.min(first + times - 1, range.lastRow);
    for (let number = Math.max(first, range.firstRow); number <= last; number += 1) {
      budget.walk(cells.length);
      yield { number, cells };
    }
  }
}

function readCells(reader: XmlReader, row: number, { range, told, budget }: Reading): Cell[] {
  const cells: Cell[] = [];
  const { depth } = reader;
  let next = 1;
  while (reader.child(depth)) {
    const isCovered = reader.is("table:covered-table-cell");
    if (!isCovered && !reader.is("table:table-cell")) continue;
    const first = next;
    next += countIn(reader, "table:number-columns-repeated");
    if (next <= range.firstColumn || first > range.lastColumn) continue;
    const { text, comment, covers } = readCell(reader);
    const address = `${columnLetters(first)}${row}`;
    const cell: Range = { firstRow: row, lastRow: row, firstColumn: first, lastColumn: first };
    if (comment !== undefined && comment !== "")
      told.comments.push({ range: cell, text: `${address}: ${comment}` });
    if (covers) {
      const lastColumn = first + covers.columns - 1;
      const lastRow = row + covers.rows - 1;
      const range = { ...cell, lastRow, lastColumn };
      told.merged.push({ range, text: `${address}:${columnLetters(lastColumn)}${lastRow}` });
    }
    if (text === "") continue;
    if (Math.min(next - 1, range.lastColumn) > mostColumns) told.goesBeyond = true;
    const last = Math.min(next - 1, range.lastColumn, mostColumns);
    const start = Math.max(first, range.firstColumn);
    // What is repeated is produced like anything else.
    budget.inflate(text.length * Math.max(last - start, 0));
    for (let column = start; column <= last; column += 1) cells.push({ column, text });
  }
  return cells;
}

function readHidden(reader: XmlReader, hidden: Set<string>): void {
  const { depth } = reader;
  while (reader.child(depth)) {
    if (!reader.is("style:style") || reader.attribute("style:family") !== "table") continue;
    const name = reader.attribute("style:name") ?? "";
    const style = reader.depth;
    while (reader.child(style))
      if (reader.is("style:table-properties") && reader.attribute("table:display") === "false")
        hidden.add(name);
  }
}

function readNames(reader: XmlReader, names: string[]): void {
  const { depth } = reader;
  while (reader.child(depth)) {
    const address = reader.attribute("table:cell-range-address") ?? reader.attribute("table:expression");
    names.push(
      `${reader.attribute("table:name") ?? ""} = ${(address ?? "").replace(/^\$/, "").replace(".", "!")}`,
    );
  }
}
