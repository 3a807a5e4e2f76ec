import type { XmlReader } from "../../xml/xml-reader.ts";
import { append, type Block, cellText } from "../blocks.ts";
import type { Story } from "./open.ts";

/** Reads a table. A table of one cell is only a frame, so its blocks are returned. */
export function readTable(reader: XmlReader, story: Story, readBlocks: ReadBlocks): Block[] {
  const rows: Cell[][] = [];
  readRows(reader, story, readBlocks, rows);
  const cells = rows.flat();
  if (cells.length <= 1) return cells.flatMap(({ blocks }) => blocks);
  // A footnote that is cited in a cell follows the table.
  const notes = new Set(cells.flatMap(({ blocks }) => blocks.filter(({ kind }) => kind === "note")));
  append(story.cited, notes);
  story.budget.walk(rows.length * rows.reduce((most, row) => Math.max(most, row.length), 0));
  return [{ kind: "table", rows: rows.map((row) => row.map(({ text }) => text)) }];
}

type ReadBlocks = (reader: XmlReader, story: Story) => Block[];

interface Cell {
  readonly blocks: readonly Block[];
  readonly text: string;
}

function readRows(reader: XmlReader, story: Story, readBlocks: ReadBlocks, rows: Cell[][]): void {
  for (const name of reader.children()) {
    if (/^table:table-(?:header-)?rows$|^table:table-row-group$/.test(name))
      readRows(reader, story, readBlocks, rows);
    else if (name === "table:table-row") {
      const times = repeats(reader, "table:number-rows-repeated", story);
      const row = readCells(reader, story, readBlocks);
      const length = row.reduce((sum, { text }) => sum + text.length, 0);
      repeat(row, length === 0 ? 1 : times, length, rows, story);
    }
  }
}

function readCells(reader: XmlReader, story: Story, readBlocks: ReadBlocks): Cell[] {
  const row: Cell[] = [];
  for (const name of reader.children()) {
    if (!/^table:(?:covered-)?table-cell$/.test(name)) continue;
    const times = repeats(reader, "table:number-columns-repeated", story);
    const blocks = readBlocks(reader, story);
    const text = cellText(blocks.filter(({ kind }) => kind !== "note"));
    repeat({ blocks, text }, times, text.length, row, story);
  }
  while (row.length > 1 && row.at(-1)!.text === "") row.pop();
  return row;
}

/** Adds a cell or row several times. Repeated text counts for the budget, because nested tables multiply it. */
function repeat<One>(one: One, times: number, length: number, into: One[], { budget }: Story): void {
  budget.inflate(length * bytesPerCharacter * (times - 1));
  for (let time = 0; time < times; time += 1) into.push(one);
}

const bytesPerCharacter = 4;

/** Returns how often to repeat. The number is limited, because a file may repeat an empty row a million times. */
function repeats(reader: XmlReader, attribute: string, { tally }: Story): number {
  const times = Number(reader.attribute(attribute) ?? 1) || 1;
  if (times > mostRepeats) tally.repeated += 1;
  return Math.min(Math.max(times, 1), mostRepeats);
}

const mostRepeats = 100;
