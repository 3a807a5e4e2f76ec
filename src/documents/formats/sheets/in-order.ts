import type { Cell } from "./sheet.ts";

/** By their columns, the last of several in one. Nearly always they are so already. */
export function inOrder(cells: readonly Cell[]): readonly Cell[] {
  let last = 0;
  for (const { column } of cells) {
    if (column <= last) return sorted(cells);
    last = column;
  }
  return cells;
}

function sorted(cells: readonly Cell[]): readonly Cell[] {
  return [...new Map(cells.map((cell) => [cell.column, cell])).values()].sort(
    (one, other) => one.column - other.column,
  );
}
