/** Rows as a Markdown table, the first one as its head. Rows may be of different lengths. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const [head = [], ...others] = rows;
  const rule = `|${"---|".repeat(width)}`;
  return [markdownRow(head, width), rule, ...others.map((row) => markdownRow(row, width))].join("\n");
}

export function markdownRow(cells: readonly string[], width: number = cells.length): string {
  let row = "|";
  for (let column = 0; column < width; column += 1) {
    const cell = cells[column];
    row += cell ? ` ${markdownCell(cell)} |` : " |";
  }
  return row;
}

/** What would end the cell or the row is written otherwise. */
export function markdownCell(text: string): string {
  return needsCare.test(text)
    ? text
        .trim()
        .replaceAll("|", "\\|")
        .replace(/\s*(?:\r\n?|\n)\s*/g, "<br>")
    : text;
}

const needsCare = /[|\n\r]|^\s|\s$/;
