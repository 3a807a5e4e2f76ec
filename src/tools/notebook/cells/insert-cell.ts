import { contentHash } from "../../../lib/content-hash.ts";
import { type CellChange, type CellType, cellTypes, type TextSplice } from "./cell-edit.ts";
import { describeCell } from "./find-cell.ts";
import { deeper, enclose, indentationAt, writeJson } from "./json-style.ts";
import type { CellText, NotebookText } from "./notebook-text.ts";
import { splitLines } from "./split-lines.ts";

export interface NewCell {
  /** How many cells stand before it. */
  readonly index: number;
  readonly beside: CellText | undefined;
  readonly source: string;
  /** That of the cell beside it, if not said. */
  readonly type: CellType | undefined;
}

export function insertCell(notebook: NotebookText, cell: NewCell): CellChange {
  const type = cell.type ?? cellTypes.find((known) => known === cell.beside?.type) ?? "code";
  const id = notebook.hasIds ? newId(notebook, cell) : undefined;
  const added = { number: cell.index + 1, id, type };
  // In the order of the alphabet, as Jupyter has it.
  const members = {
    cell_type: type,
    ...(type === "code" ? { execution_count: null } : {}),
    ...(id === undefined ? {} : { id }),
    metadata: {},
    ...(type === "code" ? { outputs: [] } : {}),
    source: splitLines(cell.source),
  };
  return {
    splices: [placeIn(notebook, cell.index, members)],
    cell: added,
    total: notebook.cells.length + 1,
    notes: [`inserted ${describeCell(added)}`],
  };
}

/** Separated from its neighbours as they are from each other. */
function placeIn(notebook: NotebookText, index: number, members: object): TextSplice {
  const { text, style, list, indentation, cells } = notebook;
  const [first, second] = list.items;
  if (!first) {
    const written = writeJson(members, style, deeper(style, indentation));
    return { start: list.start, end: list.end, text: enclose("[]", [written], style, indentation) };
  }
  const written = writeJson(members, style, indentationAt(text, first.start));
  const separator = second
    ? text.slice(first.end, second.start)
    : `,${text.slice(list.start + 1, first.start) || style.comma.slice(1)}`;
  const next = cells[index]?.node.start;
  const at = next ?? list.items.at(-1)!.end;
  return { start: at, end: at, text: next === undefined ? separator + written : written + separator };
}

/** Eight digits, as Jupyter makes them; the same for the same edit, so that what was previewed is what is done. */
function newId({ cells }: NotebookText, { index, source }: NewCell): string {
  const taken = new Set(cells.map(({ id }) => id));
  for (let salt = 0; ; salt += 1) {
    const id = contentHash(Buffer.from(JSON.stringify([salt, index, source, ...taken]))).slice(0, 8);
    if (!taken.has(id)) return id;
  }
}
