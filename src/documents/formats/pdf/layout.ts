import { append, markdownTable } from "../../shared/blocks.ts";
import type { Word } from "./words.ts";

/** Words next to each other with only spaces between them. */
interface Segment {
  text: string;
  readonly left: number;
  right: number;
  readonly baseline: number;
  height: number;
  readonly isTurned: boolean;
}

/** Segments below each other: lines of text, or of a cell. */
interface Stack {
  readonly lines: Segment[];
  left: number;
  right: number;
}

/** A horizontal strip of the page: a line, or stacks side by side (cells of a row, or columns). */
interface Band {
  readonly stacks: Stack[];
  bottom: number;
}

/** Groups words into bands, in document order. */
export function layOut(words: readonly Word[]): readonly Band[] {
  const bands: Band[] = [];
  // Bands before this one are finished, because the text continued elsewhere on the page.
  let floor = 0;
  for (const segment of segmentsOf(words)) {
    const band = bands.length > floor ? bands.at(-1) : undefined;
    const last = band?.stacks.at(-1);
    if (segment.isTurned || last?.lines[0]?.isTurned) floor = bands.length;
    if (!band || !last || floor === bands.length) bands.push(bandOf(segment));
    else if (isNextLineOfCell(band, last, segment)) {
      addLine(last, segment);
      band.bottom = Math.max(band.bottom, segment.baseline);
    } else if (segment.baseline > band.bottom + toleranceOf(segment)) bands.push(bandOf(segment));
    else if (!addCellToRow(bands, floor, segment)) {
      floor = bands.length;
      bands.push(bandOf(segment));
    }
  }
  return bands;
}

function bandOf(segment: Segment): Band {
  return { stacks: [stackOf([segment])], bottom: segment.baseline };
}

function stackOf(lines: readonly Segment[]): Stack {
  const stack: Stack = { lines: [], left: Number.POSITIVE_INFINITY, right: Number.NEGATIVE_INFINITY };
  for (const line of lines) addLine(stack, line);
  return stack;
}

function addLine(stack: Stack, line: Segment): void {
  stack.lines.push(line);
  stack.left = Math.min(stack.left, line.left);
  stack.right = Math.max(stack.right, line.right);
}

// The distances below are fractions of the line height.
/** Baselines within a line differ by less than this, including footnote marks and formulas. */
const sameLine = 0.3;
/** A space within a text is narrower than this, even in justified lines. */
const widestBlank = 1.6;
/** A gap that represents a space, as in TeX documents, is narrower than this. */
const widestGap = 0.8;
/** In a document with real spaces, a wider gap separates cells. */
const narrowestGap = 0.1;
/** Cells rarely have more lines, and columns rarely fewer. */
const mostLinesOfCell = 12;

function segmentsOf(words: readonly Word[]): readonly Segment[] {
  const segments: Segment[] = [];
  const inLine = words.filter(({ startsLine }) => !startsLine);
  const hasBlanks = inLine.filter(({ followsBlank }) => followsBlank).length > inLine.length * 0.7;
  const gap = hasBlanks ? narrowestGap : widestGap;
  for (const word of words) {
    const last = segments.at(-1);
    if (last && continuesSegment(last, word, word.followsBlank ? widestBlank : gap)) {
      last.text += ` ${word.text}`;
      last.right = Math.max(last.right, word.right);
      last.height = Math.max(last.height, word.height);
    } else {
      const { text, left, right, baseline, height, isTurned } = word;
      segments.push({ text, left, right, baseline, height, isTurned });
    }
  }
  return segments;
}

function continuesSegment(last: Segment, word: Word, widest: number): boolean {
  if (word.isTurned || last.isTurned) return word.isTurned && last.isTurned && !word.startsLine;
  const height = Math.max(last.height, word.height);
  const gap = word.left - last.right;
  const step = Math.abs(word.baseline - last.baseline);
  if (listMark.test(last.text)) return step < height * 0.6 && gap > 0 && gap < height * 4;
  return step < height * sameLine && gap > -height * 0.5 && gap < height * widest;
}

/** A list marker, which may be far from its text. */
const listMark = /^(?:[•◦▪■●○‣·–—*>+-]|\d{1,3}[.)]|\(?[a-z][.)])$/i;

/** Whether the segment is the next line of the last cell. */
function isNextLineOfCell(band: Band, last: Stack, segment: Segment): boolean {
  const above = last.lines.at(-1)!;
  const step = segment.baseline - above.baseline;
  return (
    band.stacks.length > 1 &&
    step > toleranceOf(segment) &&
    step < Math.max(segment.height, above.height) * 1.7 &&
    segment.left > last.left - segment.height &&
    segment.left < last.right
  );
}

/** Adds the segment as the next cell of the row that the last bands form. Returns false if it is not next to them. */
function addCellToRow(bands: Band[], floor: number, segment: Segment): boolean {
  let first = bands.length;
  // In centred cells lines may be half a line apart.
  const top = segment.baseline - segment.height * 0.6;
  while (first > floor && bands[first - 1]!.bottom >= top) {
    first -= 1;
    if (bands.length - first > mostLinesOfCell) return false;
  }
  const [band, ...others] = bands.slice(first);
  if (!band) return false;
  if (others.length > 0) {
    if ([band, ...others].some(({ stacks }) => stacks.length > 1)) return false;
    const cell = stackOf([band, ...others].flatMap(({ stacks }) => stacks[0]!.lines));
    if (!isRightOf(cell, segment)) return false;
    const bottom = Math.max(others.at(-1)!.bottom, segment.baseline);
    bands.splice(first, bands.length - first, { stacks: [cell, stackOf([segment])], bottom });
    return true;
  }
  if (!isRightOf(band.stacks.at(-1)!, segment)) return false;
  band.stacks.push(stackOf([segment]));
  band.bottom = Math.max(band.bottom, segment.baseline);
  return true;
}

function isRightOf(cell: Stack, { left, height }: Segment): boolean {
  return left >= cell.right - height / 2;
}

function toleranceOf({ height }: Segment): number {
  return height * sameLine;
}

/** Formats a page: lines unchanged, an empty line between paragraphs, tables as Markdown. */
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

/** Shows one-line cells next to each other, other cells below each other. */
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

interface Placed {
  readonly stack: Stack;
  readonly column: Column;
}

/** Returns the table that begins with a band, if there is one: at least two rows with cells in the same columns. */
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
    const placed = assignColumns(band, columns);
    if (!placed) break;
    rows.push(placed);
    // A single line may be a row with one filled cell, if another row follows.
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
      return cell?.stack.lines.map(({ text }) => text).join(" ") ?? "";
    }),
  );
  return { text: isProse(cells) ? byColumns(cells) : markdownTable(cells), bands: end - start };
}

/** Assigns each stack to its own column, an existing or a new one; undefined if that is impossible. */
function assignColumns({ stacks }: Band, columns: readonly Column[]): readonly Placed[] | undefined {
  if (Math.max(columns.length, stacks.length) > mostColumns) return undefined;
  const placed: Placed[] = [];
  for (const stack of stacks) {
    const [first, second] = columns.filter(({ left, right }) => stack.left < right && stack.right > left);
    const isTaken = placed.some(({ column }) => column === first);
    if (second || isTaken || (!first && stacks.length === 1)) return undefined;
    placed.push({ stack, column: first ?? { left: stack.left, right: stack.right } });
  }
  return placed;
}

/** The limit of columns, for a file that has a new column in each row. */
const mostColumns = 200;

function isRow({ stacks }: Band): boolean {
  return (
    stacks.length > 1 && stacks.every(({ lines }) => lines.length <= mostLinesOfCell && !lines[0]!.isTurned)
  );
}

/** Whether cells are columns of text that the document stores line by line. */
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
