import { ToolError } from "../../contract/error.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import { type JsonMember, memberOf } from "../../lib/json/scan-json.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import {
  type CellChange,
  type CellEdit,
  type CellName,
  type CellText,
  type CellType,
  cellTypes,
  deeper,
  enclose,
  indentationAt,
  type NotebookText,
  type Replacement,
  type TextSplice,
  writeJson,
  writeMember,
} from "./notebook-text.ts";

/** Returns the text changes of an edit. Throws `not-found`, with a list of the cells, for a missing cell. */
export function editCells(notebook: NotebookText, edit: CellEdit): CellChange {
  switch (edit.operation) {
    case "replace":
      return replaceCell(notebook, findCell(notebook, edit.cell), edit);
    case "delete":
      return deleteCell(notebook, findCell(notebook, edit.cell));
    case "append":
      return insertCell(notebook, {
        ...edit,
        index: notebook.cells.length,
        neighbour: notebook.cells.at(-1),
      });
    default: {
      if (edit.cell === undefined && edit.operation === "insert_before")
        return insertCell(notebook, { ...edit, index: 0, neighbour: notebook.cells[0] });
      const neighbour = findCell(notebook, edit.cell ?? 1);
      const index = edit.operation === "insert_before" ? neighbour.number - 1 : neighbour.number;
      return insertCell(notebook, { ...edit, index, neighbour });
    }
  }
}

function deleteCell(notebook: NotebookText, cell: CellText): CellChange {
  return {
    splices: [takenOut(notebook, cell)],
    cell: undefined,
    total: notebook.cells.length - 1,
    notes: [`deleted ${describeCell(cell)}`],
  };
}

/** Removes a cell with the separator to the next cell, or for the last cell to the previous one. */
function takenOut({ list, cells }: NotebookText, { number, node }: CellText): TextSplice {
  const [before, after] = [cells[number - 2]?.node, cells[number]?.node];
  if (after) return { start: node.start, end: after.start, text: "" };
  if (before) return { start: before.end, end: node.end, text: "" };
  return { start: list.start, end: list.end, text: "[]" };
}

interface NewCell {
  /** The number of cells before the new one. */
  readonly index: number;
  readonly neighbour: CellText | undefined;
  readonly source: string;
  /** Default: the type of the neighbouring cell. */
  readonly type: CellType | undefined;
}

function insertCell(notebook: NotebookText, cell: NewCell): CellChange {
  const type = cell.type ?? cellTypes.find((known) => known === cell.neighbour?.type) ?? "code";
  const id = notebook.hasIds ? newId(notebook, cell) : undefined;
  const added = { number: cell.index + 1, id, type };
  // The members are in alphabetical order, as Jupyter writes them.
  const members = {
    cell_type: type,
    ...(type === "code" ? { execution_count: null } : {}),
    // Every member is written, so a missing id must be left out.
    ...(id === undefined ? {} : { id }),
    metadata: {},
    ...(type === "code" ? { outputs: [] } : {}),
    source: splitLines(cell.source),
  };
  return {
    splices: [insertedAt(notebook, cell.index, members)],
    cell: added,
    total: notebook.cells.length + 1,
    notes: [`inserted ${describeCell(added)}`],
  };
}

/** Inserts a cell with the same separator as its neighbours. */
function insertedAt(notebook: NotebookText, index: number, members: object): TextSplice {
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

/** Returns an id of eight digits. The same edit gets the same id, so that the preview equals the result. */
function newId({ cells }: NotebookText, { index, source }: NewCell): string {
  const taken = new Set(cells.map(({ id }) => id));
  for (let salt = 0; ; salt += 1) {
    const id = contentHash(Buffer.from(JSON.stringify([salt, index, source, ...taken]))).slice(0, 8);
    if (!taken.has(id)) return id;
  }
}

/** Changes the source or type of a cell, or both. Outputs of the old source are removed, unless they are kept. */
function replaceCell(notebook: NotebookText, cell: CellText, edit: Replacement): CellChange {
  if (edit.source === undefined && edit.type === undefined)
    throw new ToolError("invalid-input", "replace needs a source, a cell_type or both", {
      hint: "Give the new source of the cell.",
    });
  const type = edit.type ?? cell.type;
  const lost = edit.keepOutputs && type === "code" ? [] : usedOutputs(notebook, cell);
  const isOther = type !== cell.type;
  const splices = isOther
    ? [asType(notebook, cell, type, edit.source)]
    : [
        ...(edit.source === undefined ? [] : [withSource(notebook, cell, edit.source)]),
        ...lost.map(({ key, value }) => ({ start: value.start, end: value.end, text: unused[key]! })),
      ];
  return {
    splices,
    cell: { number: cell.number, id: cell.id, type },
    total: notebook.cells.length,
    notes: [
      `replaced ${describeCell(cell)}${isOther ? `, now ${type}` : ""}`,
      ...(lost.some(({ key }) => key === "outputs")
        ? ["its outputs, made by the old source, were removed"]
        : []),
      ...(type === "code" && memberOf(cell.node, "attachments") ? ["its attachments were removed"] : []),
    ],
  };
}

/** Members of a code cell that was not run, with their values. */
const unused: Readonly<Record<string, string>> = { execution_count: "null", outputs: "[]" };

function usedOutputs({ text }: NotebookText, { node }: CellText): readonly JsonMember[] {
  return Object.keys(unused).flatMap((key) => {
    const member = memberOf(node, key);
    const isUnused = !member || text.slice(member.value.start, member.value.end) === unused[key];
    return isUnused ? [] : [member];
  });
}

/** Replaces the source in its old form: a list of lines, or one string. */
function withSource({ text, style, name }: NotebookText, cell: CellText, source: string): TextSplice {
  const member = memberOf(cell.node, "source");
  if (!member)
    throw new ToolError("unsupported", `${name}: ${describeCell(cell)} has no source`, {
      hint: "Delete the cell and insert another.",
    });
  const { kind, start, end } = member.value;
  if (kind === "string") return { start, end, text: writeJson(source, style, undefined) };
  const old = text.slice(start, end);
  const isOneLine = old !== "[]" && !old.includes("\n");
  const indentation = isOneLine ? undefined : indentationAt(text, member.start);
  return { start, end, text: writeJson(splitLines(source), style, indentation) };
}

/** Rewrites a cell with the members of another type. Members that both types have stay. */
function asType(notebook: NotebookText, { node }: CellText, type: string, source?: string): TextSplice {
  const { text, style } = notebook;
  const indentation = indentationAt(text, node.start);
  const members = new Map(node.members.map(({ key, value }) => [key, text.slice(value.start, value.end)]));
  members.set("cell_type", writeJson(type, style, undefined));
  if (source !== undefined)
    members.set("source", writeJson(splitLines(source), style, deeper(style, indentation)));
  for (const key of type === "code" ? ["attachments"] : Object.keys(unused)) members.delete(key);
  const added = type === "code" ? Object.keys(unused).filter((key) => !members.has(key)) : [];
  const written = withKeys([...members.keys()], added).map((key) =>
    writeMember(key, members.get(key) ?? unused[key]!, style),
  );
  return { start: node.start, end: node.end, text: enclose("{}", written, style, indentation) };
}

/** Inserts new keys before the first that follows in the alphabet, as Jupyter sorts them. */
function withKeys(keys: readonly string[], added: readonly string[]): readonly string[] {
  const all = [...keys];
  for (const key of added) {
    const later = all.findIndex((other) => other > key);
    all.splice(later === -1 ? all.length : later, 0, key);
  }
  return all;
}

/** Splits text into lines with their ends where Python does, as Jupyter stores it. */
function splitLines(text: string): readonly string[] {
  return text.match(lines) ?? [];
}

const lines =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
  /[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*(?:\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])|[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+$/g;

/** Returns the cell with this id, number from 1, or name "cell 7" as document.read prints it. */
function findCell(notebook: NotebookText, wanted: string | number): CellText {
  const { cells } = notebook;
  const named = cells.filter(({ id }) => id !== undefined && id === wanted);
  if (named.length > 1) throw ambiguous(notebook, named);
  const number = /^(?:cell\s*)?#?(\d+)$/i.exec(String(wanted).trim())?.[1];
  const cell = named[0] ?? (number === undefined ? undefined : cells[Number(number) - 1]);
  if (!cell) throw noSuchCell(notebook, wanted);
  return cell;
}

/** Describes a cell: "cell 3 (code, id 8f2a)". */
function describeCell({ number, type, id }: CellName): string {
  return `cell ${number} (${type}${id === undefined ? "" : `, id ${id}`})`;
}

function ambiguous({ name }: NotebookText, cells: readonly CellText[]): ToolError {
  const numbers = cells.map(({ number }) => number).join(", ");
  return new ToolError("ambiguous-match", `${name}: the id ${cells[0]!.id} belongs to the cells ${numbers}`, {
    hint: "Give the cell by its number.",
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
    { hint: "Give a cell by its number, from 1, or by its id." },
  );
}

const mostListed = 40;

/** Returns the first line of a cell, shortened. */
function beginningOf({ text }: NotebookText, { node }: CellText): string {
  const source = sourceOf(text, node);
  const line = source.trimStart().split("\n", 1)[0]!;
  return JSON.stringify(line.length > 60 ? `${line.slice(0, 60)}…` : line);
}

function sourceOf(text: string, node: CellText["node"]): string {
  const member = memberOf(node, "source");
  const value: unknown = member ? JSON.parse(text.slice(member.value.start, member.value.end)) : "";
  return Array.isArray(value) ? value.join("") : String(value);
}
