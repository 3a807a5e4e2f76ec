import { ToolError } from "../../../contract/error.ts";
import { counted } from "../../../lib/counted.ts";
import { memberOf } from "../../../lib/scan-json.ts";
import type { CellName } from "./cell-edit.ts";
import type { CellText, NotebookText } from "./notebook-text.ts";

/** The cell that is meant: its id, its number from 1, or "cell 7" as document.read calls it. */
export function findCell(notebook: NotebookText, wanted: string | number): CellText {
  const { cells } = notebook;
  const named = cells.filter(({ id }) => id !== undefined && id === wanted);
  if (named.length > 1) throw ambiguous(notebook, named);
  const number = /^(?:cell\s*)?#?(\d+)$/i.exec(String(wanted).trim())?.[1];
  const cell = named[0] ?? (number === undefined ? undefined : cells[Number(number) - 1]);
  if (!cell) throw noSuchCell(notebook, wanted);
  return cell;
}

/** "cell 3 (code, id 8f2a)". */
export function describeCell({ number, type, id }: CellName): string {
  return `cell ${number} (${type}${id === undefined ? "" : `, id ${id}`})`;
}

function ambiguous({ name }: NotebookText, cells: readonly CellText[]): ToolError {
  const numbers = cells.map(({ number }) => number).join(", ");
  return new ToolError("ambiguous-match", `${name}: the id ${cells[0]!.id} belongs to the cells ${numbers}`, {
    hint: "Name the cell by its number.",
  });
}

function noSuchCell(notebook: NotebookText, wanted: string | number): ToolError {
  const { name, cells } = notebook;
  const shown = cells
    .slice(0, mostListed)
    .map((cell) => `${describeCell(cell)}: ${beginningOf(notebook, cell)}`);
  const hidden = cells.length - shown.length;
  const list = [...shown, ...(hidden > 0 ? [`… ${counted(hidden, "more cell")}`] : [])].join("\n");
  return new ToolError(
    "not-found",
    `${name} has no cell ${JSON.stringify(wanted).slice(0, 80)}; it has ${counted(cells.length, "cell")}${list && `:\n${list}`}`,
    { hint: "Name a cell by its number, counted from 1, or by its id; document.read shows them whole." },
  );
}

const mostListed = 40;

/** Its first line, or as much of that as tells it from others. */
function beginningOf({ text }: NotebookText, { node }: CellText): string {
  const source = sourceOf(text, node);
  const line = source.trimStart().split("\n", 1)[0]!;
  return JSON.stringify(line.length > 60 ? `${line.slice(0, 60)}…` : line);
}

/** What a cell holds, as one text. */
function sourceOf(text: string, node: CellText["node"]): string {
  const member = memberOf(node, "source");
  const value: unknown = member ? JSON.parse(text.slice(member.value.start, member.value.end)) : "";
  return Array.isArray(value) ? value.join("") : String(value);
}
