/** Rows in columns, two spaces between; the last column is as long as it likes. */
export function layTable(rows: readonly (readonly string[])[], indent = ""): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  return rows
    .map((row) => {
      const cells = row.map((cell, column) =>
        column < row.length - 1 ? cell.padEnd(widths[column]!) : cell,
      );
      return `${indent}${cells.join("  ").trimEnd()}\n`;
    })
    .join("");
}
