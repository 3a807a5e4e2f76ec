import { append, type Block, cellText } from "../../shared/blocks.ts";
import type { XmlReader } from "../../xml/xml-reader.ts";
import type { Story } from "./story.ts";

/** Reads a table. A table of one cell is only a frame, so its blocks are returned. */
export function readTable(reader: XmlReader, story: Story, readBlock: ReadBlock): Block[] {
  const rows: Cell[][] = [];
  readRows(reader, story, readBlock, rows);
  const cells = rows.flat();
  if (cells.length <= 1) return cells.flatMap(({ blocks }) => blocks);
  // A footnote that is cited in a cell follows the table.
  append(
    story.cited,
    cells.flatMap(({ blocks }) => blocks.filter(({ kind }) => kind === "note")),
  );
  const shown = rows.map((row) => row.flatMap(showCell));
  story.budget.walk(shown.length * shown.reduce((most, row) => Math.max(most, row.length), 0));
  return [{ kind: "table", rows: shown }];
}

type ReadBlock = (reader: XmlReader, story: Story, blocks: Block[]) => void;

interface Cell {
  readonly blocks: Block[];
  readonly columns: number;
}

function showCell({ blocks, columns }: Cell): string[] {
  const text = cellText(blocks.filter(({ kind }) => kind !== "note"));
  return [text, ...Array<string>(columns - 1).fill("")];
}

function readRows(reader: XmlReader, story: Story, readBlock: ReadBlock, rows: Cell[][]): void {
  for (const name of reader.children()) {
    if (wrappers.has(name)) readRows(reader, story, readBlock, rows);
    else if (name === "w:tr") {
      const row: Cell[] = [];
      const isDeleted = readCells(reader, story, readBlock, row);
      if (isDeleted) story.tally.deletions += 1;
      else if (row.length > 0) rows.push(row);
    }
  }
}

const wrappers: ReadonlySet<string> = new Set(["w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo"]);

function readCells(reader: XmlReader, story: Story, readBlock: ReadBlock, row: Cell[]): boolean {
  let isDeleted = false;
  for (const name of reader.children()) {
    if (wrappers.has(name)) isDeleted = readCells(reader, story, readBlock, row) || isDeleted;
    else if (name === "w:tc") row.push(readCell(reader, story, readBlock));
    else if (name === "w:trPr")
      for (const property of reader.children()) {
        const count = Number(reader.attribute("w:val"));
        if (property === "w:del") isDeleted = true;
        else if (property === "w:gridBefore" && count > 0)
          row.push({ blocks: [], columns: Math.min(count, mostColumns) });
      }
  }
  return isDeleted;
}

/** The limit of Word. A cell that claims more columns would only increase the output. */
const mostColumns = 63;

function readCell(reader: XmlReader, story: Story, readBlock: ReadBlock): Cell {
  const blocks: Block[] = [];
  let columns = 1;
  for (const name of reader.children()) {
    if (name !== "w:tcPr") readBlock(reader, story, blocks);
    else
      for (const property of reader.children())
        if (property === "w:gridSpan") columns = Number(reader.attribute("w:val")) || 1;
  }
  return { blocks, columns: Math.min(Math.max(columns, 1), mostColumns) };
}
