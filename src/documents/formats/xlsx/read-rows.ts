import type { Budget } from "../../budget.ts";
import { link } from "../../shared/blocks.ts";
import { columnLetters, columnNumber, type Range } from "../../shared/spreadsheet/cell-address.ts";
import { type NumberKind, showNumber } from "../../shared/spreadsheet/show-number.ts";
import type { Cell, Row } from "../../shared/spreadsheet/show-sheets.ts";
import { expandEntities } from "../../xml/decode.ts";
import { type RawCell, type RawFormula, scanRows } from "./scan-sheet.ts";
import { expandControls, prefixOf, type SharedStrings, textsIn } from "./shared-strings.ts";

export interface Workbook {
  readonly strings: SharedStrings;
  readonly styles: readonly NumberKind[];
  readonly startsIn1904: boolean;
  readonly budget: Budget;
  /** The name of the document, for messages. */
  readonly name: string;
}

interface SheetPart {
  readonly xml: string;
  /** The targets of links, by column and row: "2,14". */
  readonly links: ReadonlyMap<string, string>;
}

export function* readRows({ xml, links }: SheetPart, range: Range, workbook: Workbook): Generator<Row> {
  const prefix = prefixOf(xml, "worksheet");
  const formulas = new SharedFormulas();
  // The first cell of a shared formula may be above the range.
  const first = xml.includes('"shared"') ? 1 : range.firstRow;
  const { firstRow, lastRow, firstColumn, lastColumn } = range;
  const rows = scanRows(
    xml,
    { first, last: lastRow, budget: workbook.budget, name: workbook.name },
    (raw, row): Cell | undefined => {
      const { column } = raw;
      const formula = raw.formula && formulas.textOf(raw.formula, row, column);
      if (row < firstRow || column < firstColumn || column > lastColumn) return undefined;
      const text = withFormula(showValue(raw, workbook, prefix), formula);
      if (text === "") return undefined;
      const target = links.size === 0 ? undefined : links.get(`${column},${row}`);
      return { column, text: target === undefined ? text : link(text, target) };
    },
  );
  for (const row of rows) if (row.cells.length > 0) yield row;
}

function withFormula(value: string, formula: string | undefined): string {
  if (!formula) return value;
  return value === "" ? `=${formula}` : `${value} (=${formula})`;
}

function showValue(cell: RawCell, { strings, styles, startsIn1904 }: Workbook, prefix: string): string {
  const { type, value } = cell;
  if (type === "s") return strings.get(Number(value)) ?? `[text ${value.slice(0, 20)} is missing]`;
  if (type === "inlineStr" || cell.inline !== undefined) return textsIn(cell.inline ?? "", prefix);
  if (type === "b") return value === "1" || value === "true" ? "TRUE" : value === "" ? "" : "FALSE";
  if (type === "" || type === "n") return showNumber(value, styles[cell.style] ?? "plain", startsIn1904);
  return type === "str" ? expandControls(expandEntities(value)) : expandEntities(value);
}

/** Remembers shared formulas, which are written only in their first cell. */
class SharedFormulas {
  readonly #written = new Map<
    string,
    { readonly text: string; readonly row: number; readonly column: number }
  >();

  textOf({ text, type, shared }: RawFormula, row: number, column: number): string {
    if (type === "array") return `{${expandEntities(text)}}`;
    if (type !== "shared") return expandEntities(text);
    if (text !== "") this.#written.set(shared, { text: expandEntities(text), row, column });
    const first = this.#written.get(shared);
    return first ? shiftFormula(first.text, row - first.row, column - first.column) : "";
  }
}

/** Moves the references of a formula by rows and columns. */
function shiftFormula(formula: string, rows: number, columns: number): string {
  if (rows === 0 && columns === 0) return formula;
  return formula.replaceAll(
    references,
    (
      whole,
      kept: string | undefined,
      fixedColumn: string,
      letters: string,
      fixedRow: string,
      row: string,
    ) => {
      if (kept !== undefined) return whole;
      const column = fixedColumn === "" ? columnNumber(letters) + columns : columnNumber(letters);
      const line = fixedRow === "" ? Number(row) + rows : Number(row);
      if (column < 1 || line < 1) return "#REF!";
      return `${fixedColumn}${columnLetters(column)}${fixedRow}${line}`;
    },
  );
}

/** Matches texts and the names of sheets and functions, which stay unchanged; then references. */
const references =
  /("[^"]*"|'[^']*'|[\p{L}_][\p{L}\p{N}_.]*[(!])|(?<![\p{L}\p{N}_.$])(\$?)([A-Za-z]{1,3})(\$?)(\d{1,7})(?![\p{L}\p{N}_.(])/gu;
