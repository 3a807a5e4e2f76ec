/** A range of cells between two corners, both counted from 1. */
export interface Range {
  readonly firstRow: number;
  readonly lastRow: number;
  readonly firstColumn: number;
  readonly lastColumn: number;
}

export const everything: Range = {
  firstRow: 1,
  lastRow: Number.POSITIVE_INFINITY,
  firstColumn: 1,
  lastColumn: Number.POSITIVE_INFINITY,
};

/** Returns the letters of a column: "A" for 1, "AA" for 27. */
export function columnLetters(column: number): string {
  const known = letters[column];
  if (known !== undefined) return known;
  let text = "";
  for (let left = column; left > 0; left = Math.floor((left - 1) / 26))
    text = String.fromCharCode(65 + ((left - 1) % 26)) + text;
  if (column < 1000) letters[column] = text;
  return text;
}

const letters: string[] = [];

export function columnNumber(text: string): number {
  let column = 0;
  for (const letter of text.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}

/** Parses "A1:D20", "A201:" (to the end), "B3", "C:E", "4:9"; undefined for other text. */
export function parseRange(text: string): Range | undefined {
  const match = /^\$?([A-Za-z]{1,4})?\$?(\d{1,9})?(?:(:)(?:\$?([A-Za-z]{1,4}))?\$?(\d{1,9})?)?$/.exec(
    text.trim(),
  );
  if (!match) return undefined;
  const [, left, top, hasEnd, right, bottom] = match;
  if (left === undefined && top === undefined) return undefined;
  if (!hasEnd && (left === undefined || top === undefined)) return undefined;
  const firstColumn = left === undefined ? 1 : columnNumber(left);
  const firstRow = top === undefined ? 1 : Number(top);
  if (!hasEnd) return { firstRow, lastRow: firstRow, firstColumn, lastColumn: firstColumn };
  const lastColumn = right === undefined ? Number.POSITIVE_INFINITY : columnNumber(right);
  const lastRow = bottom === undefined ? Number.POSITIVE_INFINITY : Number(bottom);
  return {
    firstRow: Math.min(firstRow, lastRow),
    lastRow: Math.max(firstRow, lastRow),
    firstColumn: Math.min(firstColumn, lastColumn),
    lastColumn: Math.max(firstColumn, lastColumn),
  };
}

/** Formats a range: "Sheet1!A1:D20", or "'My sheet'!A201:" for an open one. */
export function showRange(sheet: string, { firstRow, lastRow, firstColumn, lastColumn }: Range): string {
  const end = `${Number.isFinite(lastColumn) ? columnLetters(lastColumn) : ""}${Number.isFinite(lastRow) ? lastRow : ""}`;
  return `${showSheetName(sheet)}!${columnLetters(firstColumn)}${firstRow}:${end}`;
}

/** Returns the name of a sheet, quoted if it is not a plain name. */
export function showSheetName(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(name) ? name : `'${name.replaceAll("'", "''")}'`;
}

interface SheetAnchor {
  readonly sheet: string | undefined;
  /** Undefined for a whole sheet. */
  readonly range: Range | undefined;
}

/** Parses "Sheet1", "Sheet1!A1:D20", "'My sheet'!A1", "A1:D20". `isSheet` recognises names that look like a range. */
export function parseSheetAnchor(
  anchor: string,
  isSheet: (name: string) => boolean,
): SheetAnchor | undefined {
  if (isSheet(anchor)) return { sheet: anchor, range: undefined };
  const quoted = /^'((?:[^']|'')*)'(?:!(.*))?$/s.exec(anchor);
  const mark = anchor.lastIndexOf("!");
  const name = quoted ? quoted[1]!.replaceAll("''", "'") : mark < 0 ? undefined : anchor.slice(0, mark);
  const cells = quoted ? quoted[2] : mark < 0 ? anchor : anchor.slice(mark + 1);
  if (cells === undefined) return { sheet: name, range: undefined };
  const range = parseRange(cells);
  return range && { sheet: name, range };
}
