import { columnLetters, columnNumber } from "../sheets/cell-address.ts";

/** A formula as it reads some rows below and columns right of where it is written. */
export function shiftFormula(formula: string, rows: number, columns: number): string {
  if (rows === 0 && columns === 0) return formula;
  return formula.replaceAll(
    references,
    (
      whole,
      kept: string | undefined,
      fixedColumn: string,
      letters: string,
      fixedRow: string,
      row: string,
    ) => {
      if (kept !== undefined) return whole;
      const column = fixedColumn === "" ? columnNumber(letters) + columns : columnNumber(letters);
      const line = fixedRow === "" ? Number(row) + rows : Number(row);
      if (column < 1 || line < 1) return "#REF!";
      return `${fixedColumn}${columnLetters(column)}${fixedRow}${line}`;
    },
  );
}

/** Texts, names of sheets and of functions, which stay; then references. */
const references =
  /("[^"]*"|'[^']*'|[\p{L}_][\p{L}\p{N}_.]*[(!])|(?<![\p{L}\p{N}_.$])(\$?)([A-Za-z]{1,3})(\$?)(\d{1,7})(?![\p{L}\p{N}_.(])/gu;
