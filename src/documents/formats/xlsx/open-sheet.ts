import type { Budget } from "../../budget.ts";
import { expandEntities } from "../../xml/entities.ts";
import { append } from "../office/blocks.ts";
import { link } from "../office/link.ts";
import type { Range } from "../sheets/cell-address.ts";
import { inOrder } from "../sheets/in-order.ts";
import type { Cell, Row } from "../sheets/sheet.ts";
import { type NumberKind, showNumber } from "../sheets/show-number.ts";
import { type RawCell, type RawFormula, scanRows } from "./scan-sheet.ts";
import { expandControls, prefixOf, type SharedStrings, textsIn } from "./shared-strings.ts";
import { shiftFormula } from "./shift-formula.ts";

/** What the cells of all sheets refer to. */
export interface Workbook {
  readonly strings: SharedStrings;
  readonly styles: readonly NumberKind[];
  readonly startsIn1904: boolean;
  readonly budget: Budget;
}

export interface SheetPart {
  readonly xml: string;
  /** Whether its rows are. */
  readonly isInOrder: boolean;
  /** Where cells lead, by their address. */
  readonly links: ReadonlyMap<string, string>;
}

/** The rows of a sheet. */
export function* readRows(
  { xml, isInOrder, links }: SheetPart,
  range: Range,
  workbook: Workbook,
): Generator<Row> {
  const prefix = prefixOf(xml, "worksheet");
  const formulas = new SharedFormulas();
  // A formula that cells of the range share may be written above it.
  const first = xml.includes('"shared"') ? 1 : range.firstRow;
  const { firstRow, lastRow, firstColumn, lastColumn } = range;
  const last = isInOrder ? lastRow : Number.POSITIVE_INFINITY;
  const rows = scanRows(xml, { first, last, budget: workbook.budget }, (raw, row): Cell | undefined => {
    const { column } = raw;
    const formula = raw.formula && formulas.textOf(raw.formula, row, column);
    if (row < firstRow || row > lastRow || column < firstColumn || column > lastColumn) return undefined;
    const text = withFormula(showValue(raw, workbook, prefix), formula);
    if (text === "") return undefined;
    const target = links.size === 0 ? undefined : links.get(`${column},${row}`);
    return { column, text: target === undefined ? text : link(text, target) };
  });
  for (const { number, cells } of isInOrder ? rows : sorted(rows))
    if (cells.length > 0) yield { number, cells: inOrder(cells) };
}

/** By their numbers, with all the cells of several that have the same. */
function sorted(rows: Iterable<Row>): readonly Row[] {
  const found = new Map<number, Cell[]>();
  for (const { number, cells } of rows) {
    const same = found.get(number);
    if (same) append(same, cells);
    else found.set(number, [...cells]);
  }
  return [...found]
    .map(([number, cells]) => ({ number, cells }))
    .sort((one, other) => one.number - other.number);
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

/** A formula that several cells have is written once, in the first of them. */
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
