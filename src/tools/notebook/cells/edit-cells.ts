import type { CellChange, CellEdit } from "./cell-edit.ts";
import { deleteCell } from "./delete-cell.ts";
import { findCell } from "./find-cell.ts";
import { insertCell } from "./insert-cell.ts";
import type { NotebookText } from "./notebook-text.ts";
import { replaceCell } from "./replace-cell.ts";

/** What an edit changes in the text of a notebook. `not-found`, with those that are there, for a cell that is not. */
export function editCells(notebook: NotebookText, edit: CellEdit): CellChange {
  switch (edit.operation) {
    case "replace":
      return replaceCell(notebook, findCell(notebook, edit.cell), edit);
    case "delete":
      return deleteCell(notebook, findCell(notebook, edit.cell));
    case "append":
      return insertCell(notebook, { ...edit, index: notebook.cells.length, beside: notebook.cells.at(-1) });
    default: {
      if (edit.cell === undefined && edit.operation === "insert_before")
        return insertCell(notebook, { ...edit, index: 0, beside: notebook.cells[0] });
      const beside = findCell(notebook, edit.cell ?? 1);
      const index = edit.operation === "insert_before" ? beside.number - 1 : beside.number;
      return insertCell(notebook, { ...edit, index, beside });
    }
  }
}
