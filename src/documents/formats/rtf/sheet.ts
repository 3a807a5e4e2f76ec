import type { Budget } from "../../budget.ts";
import { append, type Block, cellText } from "../../shared/blocks.ts";

/** What a paragraph is, until `\pard` or the end of its group. */
export interface ParagraphKind {
  readonly style: number | undefined;
  readonly outline: number | undefined;
  readonly level: number;
  readonly isInTable: boolean;
  /** Tables in tables. */
  readonly nesting: number;
}

export const plainParagraph: ParagraphKind = {
  style: undefined,
  outline: undefined,
  level: 0,
  isInTable: false,
  nesting: 1,
};

/** Something that is written on: the document, a footnote, a header, a text box. Paragraphs end when they end. */
export class Sheet {
  line = "";
  /** How many were written before it. */
  ended = 0;
  /** What marks it in its list, if it is in one. */
  marker = "";
  readonly boxes: Block[] = [];
  readonly cited: Block[] = [];
  readonly #blocks: Block[] = [];
  readonly #budget: Budget;
  readonly #headingOf: (kind: ParagraphKind) => number | undefined;
  #rows: Row[] = [];
  #edges: number[] = [];
  #row: string[] = [];
  #cell: Block[] = [];
  #innerRow: string[] = [];
  #innerCell: Block[] = [];

  constructor(budget: Budget, headingOf: (kind: ParagraphKind) => number | undefined) {
    this.#budget = budget;
    this.#headingOf = headingOf;
  }

  endParagraph(kind: ParagraphKind): void {
    const text = this.line;
    const marker = showMarker(this.marker);
    const isEmpty = text.trim() === "";
    this.line = "";
    this.marker = "";
    this.ended += 1;
    if (!kind.isInTable && !isEmpty) this.#endTable();
    const into = kind.isInTable ? (kind.nesting > 1 ? this.#innerCell : this.#cell) : this.#blocks;
    const heading = this.#headingOf(kind);
    if (isEmpty) {
      // An empty paragraph adds nothing.
    } else if (heading !== undefined)
      into.push({ kind: "heading", level: heading, text: marker.length > 1 ? `${marker} ${text}` : text });
    else if (marker === "") into.push({ kind: "paragraph", text });
    else into.push({ kind: "item", level: kind.level, marker, text });
    append(into, this.boxes.splice(0));
    // Notes stand outside of tables.
    append(this.#blocks, this.cited.splice(0));
  }

  endCell(kind: ParagraphKind): void {
    this.endParagraph({ ...kind, isInTable: true, nesting: 1 });
    this.#row.push(cellText(this.#cell));
    this.#cell = [];
  }

  endRow(): void {
    if (this.#row.length > 0) this.#rows.push({ cells: this.#row, edges: this.#edges });
    this.#row = [];
  }

  defineRow(): void {
    this.#edges = [];
  }

  defineCell(edge: number): void {
    if (this.#edges.length < mostCells) this.#edges.push(edge);
  }

  endInnerCell(kind: ParagraphKind): void {
    this.endParagraph({ ...kind, isInTable: true, nesting: 2 });
    this.#innerRow.push(cellText(this.#innerCell));
    this.#innerCell = [];
  }

  endInnerRow(): void {
    const text = this.#innerRow.filter((cell) => cell !== "").join(" ; ");
    if (text !== "") this.#cell.push({ kind: "paragraph", text });
    this.#innerRow = [];
  }

  end(kind: ParagraphKind): readonly Block[] {
    this.endParagraph(kind);
    this.#endTable();
    return this.#blocks;
  }

  #endTable(): void {
    // A row that breaks off is shown as far as it goes.
    if (this.#innerCell.length > 0) this.endInnerCell(plainParagraph);
    this.endInnerRow();
    if (this.#cell.length > 0) this.#row.push(cellText(this.#cell.splice(0)));
    this.endRow();
    const rows = this.#rows;
    this.#rows = [];
    if (rows.length === 0) return;
    const edges = edgesOf(rows);
    const columns = rows.reduce((most, { cells }) => Math.max(most, cells.length), edges.length);
    this.#budget.walk(rows.length * columns);
    this.#blocks.push({ kind: "table", rows: rows.map((row) => inColumns(row, edges)) });
  }
}

/** Of one row, as far as it matters where they end. */
const mostCells = 1000;

/** As the document writes it; a bullet, of whatever shape, as "-". */
function showMarker(written: string): string {
  const marker = written.trim();
  if (marker === "") return "";
  return marker === "o" || !/[\p{L}\p{N}]/u.test(marker) ? "-" : marker;
}

interface Row {
  readonly cells: readonly string[];
  /** Where each of them ends, from the left; fewer where it is not said. */
  readonly edges: readonly number[];
}

/** Where the columns of a table end: wherever a cell does. */
function edgesOf(rows: readonly Row[]): readonly number[] {
  const defined = new Set(rows.map(({ edges }) => edges));
  const all = [...new Set([...defined].flat())].sort((one, other) => one - other);
  return all.filter((edge, index) => index === 0 || edge - all[index - 1]! > sameEdge);
}

/** In twips: programs round. */
const sameEdge = 15;

/** Its cells in the columns in which they begin, with empty ones behind those that are wider than one. */
function inColumns({ cells, edges }: Row, columns: readonly number[]): readonly string[] {
  const isAscending = edges.every((edge, index) => index === 0 || edge > edges[index - 1]!);
  const isDefined = edges.length > 0 && cells.slice(edges.length).every((cell) => cell === "");
  if (!isAscending || !isDefined) return cells;
  const placed: string[] = [];
  for (const [index, cell] of cells.slice(0, edges.length).entries()) {
    placed.push(cell);
    const end = edges[index]! - sameEdge;
    while (placed.length < columns.length && columns[placed.length - 1]! < end) placed.push("");
  }
  return placed;
}
