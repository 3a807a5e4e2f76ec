import { isLineNumber } from "./code.ts";
import { type Element, findElement, type Node } from "./element.ts";
import { InlineWriter } from "./inline-writer.ts";
import { isLeftOut, type Page } from "./page.ts";
import { writeFlow } from "./write-blocks.ts";
import { writeInline } from "./write-inline.ts";
import type { MarkdownWriter } from "./writer.ts";

/** A table, or what a table only puts in its place: that is written as if there were none. */
export function writeTable(table: Element, writer: MarkdownWriter, page: Page): void {
  const { rows, outside } = partsOf(table, page);
  writeFlow(outside, writer, page);
  if (isLayout(table, rows)) {
    for (const row of rows) for (const cell of row.cells) writeFlow(cell.children, writer, page);
    return;
  }
  const lines = layOut(rows, page);
  const width = lines.reduce((most, { length }) => Math.max(most, length), 1);
  const hasHeader = rows[0]!.isHeader;
  const header = hasHeader ? lines.shift()! : [];
  while (header.length < width) header.push("");
  writer.block(
    [showRow(header), `|${" --- |".repeat(header.length)}`, ...lines.map((cells) => showRow(cells))].join(
      "\n",
    ),
  );
}

interface Row {
  readonly cells: readonly Element[];
  readonly isHeader: boolean;
}

/** `outside`: captions, and what stands between cells, which browsers show before the table. */
function partsOf(table: Element, page: Page): { readonly rows: Row[]; readonly outside: Node[] } {
  const rows: Row[] = [];
  const outside: Node[] = [];
  const collect = (holder: Element, cells: Element[] | undefined, isHead: boolean) => {
    for (const child of holder.children) {
      if (typeof child === "string") outside.push(child);
      else if (isLeftOut(child, page) || isLineNumber(child)) continue;
      else if (child.name === "tr") {
        const row: Element[] = [];
        collect(child, row, isHead);
        if (row.length > 0)
          rows.push({ cells: row, isHeader: isHead || row.every(({ name }) => name === "th") });
      } else if (child.name === "thead" || child.name === "tbody" || child.name === "tfoot") {
        collect(child, undefined, child.name === "thead");
      } else if (cells !== undefined && (child.name === "td" || child.name === "th")) cells.push(child);
      else outside.push(child);
    }
  };
  collect(table, undefined, false);
  return { rows, outside };
}

/** Rows of cells, those that others cover empty. */
function layOut(rows: readonly Row[], page: Page): string[][] {
  /** By column: how many of the next rows are covered there. */
  const covered: number[] = [];
  return rows.map(({ cells }) => {
    const line: string[] = [];
    for (const cell of cells) {
      for (; (covered[line.length] ?? 0) > 0; line.push("")) covered[line.length]! -= 1;
      const rowspan = spanOf(cell.attributes.rowspan, rows.length);
      const colspan = spanOf(cell.attributes.colspan, Math.max(1, maxColumns - line.length));
      const first = line.length;
      for (; line.length < first + colspan; line.push("")) {
        if (line.length < maxColumns) covered[line.length] = rowspan - 1;
      }
      line[first] = showCell(cell, page);
    }
    for (let column = line.length; column < covered.length; column += 1) {
      if (covered[column]! > 0) covered[column]! -= 1;
    }
    return line;
  });
}

/** Cells further right are shown, but cover no others. */
const maxColumns = 100;

function spanOf(attribute: string | undefined, most: number): number {
  return Math.min(most, Math.max(1, Number.parseInt(attribute ?? "1", 10) || 1));
}

function showCell(cell: Element, page: Page): string {
  const inline = new InlineWriter("<br>");
  writeInline(cell, inline, page);
  return inline.finish().replaceAll("|", "\\|");
}

function showRow(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** Whether the table has no data: one row or column, or cells that hold whole pages. */
function isLayout(table: Element, rows: readonly Row[]): boolean {
  const { role } = table.attributes;
  if (rows.length === 0 || role === "presentation" || role === "none") return true;
  const cells = rows.flatMap((row) => row.cells);
  if (rows.every((row) => row.cells.length <= 1)) return true;
  if (cells.some(({ name }) => name === "th")) return false;
  if (rows.length === 1 && cells.some(({ holdsBlocks }) => holdsBlocks)) return true;
  return cells.some((cell) => cell.holdsBlocks && findElement(cell, isPageLike) !== undefined);
}

function isPageLike({ name }: Element): boolean {
  return pageLike.has(name);
}

const pageLike: ReadonlySet<string> = new Set([
  "table",
  "h1",
  "h2",
  "h3",
  "pre",
  "article",
  "section",
  "form",
  "hr",
]);
