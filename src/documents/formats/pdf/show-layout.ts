import { markdownTable } from "../../markdown-table.ts";
import { append } from "../office/blocks.ts";
import { type Band, mostLinesOfCell, type Segment, type Stack } from "./layout.ts";

/** The bands of a page as text: lines as they are, a blank one between paragraphs, tables as Markdown. */
export function showLayout(bands: readonly Band[]): string {
  const blocks: string[] = [];
  const usual = usualStep(bands);
  let lines: string[] = [];
  for (let index = 0; index < bands.length; ) {
    const table = tableAt(bands, index);
    if (table) {
      finish();
      blocks.push(table.text);
      index += table.bands;
      continue;
    }
    const step = index === 0 ? 0 : stepBetween(bands[index - 1]!, bands[index]!);
    if (step > usual * 1.3 || step < 0) finish();
    append(lines, linesOf(bands[index]!));
    index += 1;
  }
  finish();
  return blocks.join("\n\n");

  function finish(): void {
    if (lines.length > 0) blocks.push(lines.join("\n"));
    lines = [];
  }
}

/** What is no table: cells of one line side by side, others one after the other. */
function linesOf({ stacks }: Band): readonly string[] {
  if (stacks.every(({ lines }) => lines.length === 1))
    return [sideBySide(stacks.map(({ lines }) => lines[0]!))];
  return stacks.flatMap(({ lines }) => lines.map(({ text }) => text));
}

function sideBySide(segments: readonly Segment[]): string {
  return segments.reduce((line, { text, left, height }, index) => {
    const before = segments[index - 1];
    if (!before) return text;
    return `${line}${left - before.right < height ? " " : "   "}${text}`;
  }, "");
}

/** From one line to the next, where most lines have it. */
function usualStep(bands: readonly Band[]): number {
  const steps = bands.slice(1).map((band, index) => stepBetween(bands[index]!, band));
  const down = steps.filter((step) => step > 0).sort((one, other) => one - other);
  return down[Math.floor(down.length / 2)] ?? 0;
}

function stepBetween(above: Band, below: Band): number {
  return below.stacks[0]!.lines[0]!.baseline - above.bottom;
}

interface Column {
  left: number;
  right: number;
}

/** A cell, and the column that it stands in. */
interface Placed {
  readonly stack: Stack;
  readonly column: Column;
}

/** The table that begins with a band: at least two rows whose cells stand in the same columns. */
function tableAt(
  bands: readonly Band[],
  start: number,
): { readonly text: string; readonly bands: number } | undefined {
  if (!isRow(bands[start]!)) return undefined;
  const columns: Column[] = [];
  const rows: (readonly Placed[])[] = [];
  let end = start;
  for (let index = start; index < bands.length; index += 1) {
    const band = bands[index]!;
    const tooFar = band.stacks[0]!.lines[0]!.height * 4;
    if (index > start && Math.abs(stepBetween(bands[index - 1]!, band)) > tooFar) break;
    const placed = place(band, columns);
    if (!placed) break;
    rows.push(placed);
    // A line of its own may be a row of which only one cell is filled, if another row follows.
    if (!isRow(band)) continue;
    for (const { stack, column } of placed) {
      column.left = Math.min(column.left, stack.left);
      column.right = Math.max(column.right, stack.right);
      if (!columns.includes(column)) columns.push(column);
    }
    end = index + 1;
  }
  const found = rows.slice(0, end - start);
  if (found.filter((placed) => placed.length > 1).length < 2) return undefined;
  columns.sort((one, other) => one.left - other.left);
  const cells = found.map((placed) =>
    columns.map((column) => {
      const cell = placed.find((one) => one.column === column);
      return cell ? textOf(cell.stack) : "";
    }),
  );
  return { text: isProse(cells) ? byColumns(cells) : markdownTable(cells), bands: end - start };
}

/** Gives each stack a column for itself, a new one where none is; undefined where that cannot be. */
function place({ stacks }: Band, columns: readonly Column[]): readonly Placed[] | undefined {
  if (Math.max(columns.length, stacks.length) > mostColumns) return undefined;
  const placed: Placed[] = [];
  for (const stack of stacks) {
    const [first, second] = columns.filter((column) => overlaps(column, stack));
    const isTaken = placed.some(({ column }) => column === first);
    if (second || isTaken || (!first && stacks.length === 1)) return undefined;
    placed.push({ stack, column: first ?? { left: stack.left, right: stack.right } });
  }
  return placed;
}

/** Nobody could read more on one page; a file that has a new column in each row is not made a hundred times as long. */
const mostColumns = 200;

function isRow({ stacks }: Band): boolean {
  return (
    stacks.length > 1 && stacks.every(({ lines }) => lines.length <= mostLinesOfCell && !lines[0]!.isTurned)
  );
}

function textOf(stack: Stack): string {
  return stack.lines.map(({ text }) => text).join(" ");
}

function overlaps({ left, right }: Column, stack: Stack): boolean {
  return stack.left < right && stack.right > left;
}

/** Columns of text that the document has line by line, across. */
function isProse(cells: readonly (readonly string[])[]): boolean {
  const columns = cells[0]!.length;
  const length = cells.flat().reduce((sum, cell) => sum + cell.length, 0);
  return columns <= 3 && cells.length >= 8 && length / (columns * cells.length) > 30;
}

function byColumns(cells: readonly (readonly string[])[]): string {
  const columns = cells[0]!.map((_, column) =>
    cells.map((row) => row[column]!).filter((cell) => cell !== ""),
  );
  return columns.map((lines) => lines.join("\n")).join("\n\n");
}
