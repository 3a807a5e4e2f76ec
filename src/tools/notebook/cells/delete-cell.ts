import type { CellChange, TextSplice } from "./cell-edit.ts";
import { describeCell } from "./find-cell.ts";
import type { CellText, NotebookText } from "./notebook-text.ts";

export function deleteCell(notebook: NotebookText, cell: CellText): CellChange {
  return {
    splices: [takenOut(notebook, cell)],
    cell: undefined,
    total: notebook.cells.length - 1,
    notes: [`deleted ${describeCell(cell)}`],
  };
}

/** With what separates it from the next, or as the last from the one before. */
function takenOut({ list, cells }: NotebookText, { number, node }: CellText): TextSplice {
  const [before, after] = [cells[number - 2]?.node, cells[number]?.node];
  if (after) return { start: node.start, end: after.start, text: "" };
  if (before) return { start: before.end, end: node.end, text: "" };
  return { start: list.start, end: list.end, text: "[]" };
}
