import { showSheetName } from "./cell-address.ts";
import type { Sheet } from "./sheet.ts";

const most = 40;

/** What a workbook has: its sheets where there are several, and what it gives names. */
export function notesOnSheets(sheets: readonly Sheet[], names: readonly string[]): readonly string[] {
  const notes: string[] = [];
  const list = sheets.map(({ name, isHidden }) => `${showSheetName(name)}${isHidden ? " (hidden)" : ""}`);
  if (sheets.length > 1 || sheets.some(({ isHidden }) => isHidden))
    notes.push(`Sheets: ${bounded(list, ", ")}`);
  if (names.length > 0)
    notes.push(
      `Names: ${bounded(
        names.map((name) => name.slice(0, 200)),
        "; ",
      )}`,
    );
  return notes;
}

function bounded(list: readonly string[], separator: string): string {
  if (list.length <= most) return list.join(separator);
  return `${list.slice(0, most).join(separator)}${separator}and ${list.length - most} more`;
}
