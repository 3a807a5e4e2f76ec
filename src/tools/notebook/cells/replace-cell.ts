import { ToolError } from "../../../contract/error.ts";
import { type JsonMember, memberOf } from "../../../lib/scan-json.ts";
import type { CellChange, Replacement, TextSplice } from "./cell-edit.ts";
import { describeCell } from "./find-cell.ts";
import { deeper, enclose, indentationAt, writeJson, writeMember } from "./json-style.ts";
import type { CellText, NotebookText } from "./notebook-text.ts";
import { splitLines } from "./split-lines.ts";

/** Gives a cell another source, another type, or both. What it had put out belongs to the old source, and goes. */
export function replaceCell(notebook: NotebookText, cell: CellText, edit: Replacement): CellChange {
  if (edit.source === undefined && edit.type === undefined) throw nothingNew();
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

/** What a code cell has besides its source, when it was not run. */
const unused: Readonly<Record<string, string>> = { execution_count: "null", outputs: "[]" };

function usedOutputs({ text }: NotebookText, { node }: CellText): readonly JsonMember[] {
  return Object.keys(unused).flatMap((key) => {
    const member = memberOf(node, key);
    const isUnused = !member || text.slice(member.value.start, member.value.end) === unused[key];
    return isUnused ? [] : [member];
  });
}

/** In the form that the source has: a list of lines, or all in one string. */
function withSource({ text, style, name }: NotebookText, cell: CellText, source: string): TextSplice {
  const member = memberOf(cell.node, "source");
  if (!member) throw noSource(name, cell);
  const { kind, start, end } = member.value;
  if (kind === "string") return { start, end, text: writeJson(source, style, undefined) };
  const old = text.slice(start, end);
  const isOneLine = old !== "[]" && !old.includes("\n");
  const indentation = isOneLine ? undefined : indentationAt(text, member.start);
  return { start, end, text: writeJson(splitLines(source), style, indentation) };
}

/** With the members of another type; those that both types have are as they were. */
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

/** New keys before the first that comes later in the alphabet: Jupyter sorts them. */
function withKeys(keys: readonly string[], added: readonly string[]): readonly string[] {
  const all = [...keys];
  for (const key of added) {
    const later = all.findIndex((other) => other > key);
    all.splice(later === -1 ? all.length : later, 0, key);
  }
  return all;
}

function nothingNew(): ToolError {
  return new ToolError("invalid-input", "replace needs a source, a cell_type or both", {
    hint: "Give the new source of the cell.",
  });
}

function noSource(name: string, cell: CellText): ToolError {
  return new ToolError("unsupported", `${name}: ${describeCell(cell)} has no source`, {
    hint: "Delete the cell and insert another.",
  });
}
