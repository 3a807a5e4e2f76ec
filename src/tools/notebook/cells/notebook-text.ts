import { ToolError } from "../../../contract/error.ts";
import {
  type JsonArray,
  type JsonNode,
  type JsonObject,
  memberOf,
  scanJson,
} from "../../../lib/scan-json.ts";
import type { CellName } from "./cell-edit.ts";
import { indentationAt, type JsonStyle, styleOf } from "./json-style.ts";

/** A notebook as text, and where its cells stand in it. */
export interface NotebookText {
  readonly name: string;
  readonly text: string;
  readonly style: JsonStyle;
  readonly list: JsonArray;
  /** Of the line that the list begins in. */
  readonly indentation: string | undefined;
  readonly cells: readonly CellText[];
  /** From nbformat 4.5 on every cell has an id. */
  readonly hasIds: boolean;
}

export interface CellText extends CellName {
  readonly node: JsonObject;
}

/** Reads a notebook to be changed. `unsupported` for what is none, or of an old version; `too-large` for too many values. */
export function readNotebookText(text: string, name: string): NotebookText {
  const root = scanJson(text, name, mostValues);
  const scalarOf = (node: JsonNode | undefined): unknown =>
    node === undefined || node.kind === "object" || node.kind === "array"
      ? undefined
      : JSON.parse(text.slice(node.start, node.end));
  const version = scalarOf(memberOf(root, "nbformat")?.value);
  if (typeof version !== "number") throw notANotebook(name, 'it has no "nbformat"');
  if (version !== 4) throw otherVersion(name, version);
  const member = memberOf(root, "cells");
  const list = member?.value;
  if (list?.kind !== "array") throw notANotebook(name, 'its "cells" are no list');
  const cells = list.items.map((node, index): CellText => {
    const type = scalarOf(memberOf(node, "cell_type")?.value);
    if (node.kind !== "object" || typeof type !== "string")
      throw notANotebook(name, `its cell ${index + 1} has no "cell_type"`);
    const id = scalarOf(memberOf(node, "id")?.value);
    return { number: index + 1, node, type, id: typeof id === "string" ? id : undefined };
  });
  const minor = scalarOf(memberOf(root, "nbformat_minor")?.value);
  return {
    name,
    text,
    style: styleOf(text, root),
    list,
    indentation: indentationAt(text, member!.start),
    cells,
    hasIds: typeof minor === "number" && minor >= 5,
  };
}

/** What is read in a second or two; pictures, which make most large notebooks large, are one each. */
const mostValues = 1_000_000;

function notANotebook(name: string, why: string): ToolError {
  return new ToolError("unsupported", `${name} is not a Jupyter notebook: ${why}`, {
    hint: "Name an .ipynb file; other files are changed with edit.replace.",
  });
}

function otherVersion(name: string, version: number): ToolError {
  return new ToolError(
    "unsupported",
    `${name} is a notebook of version ${version}; only those of version 4 are edited`,
    {
      hint: "Convert it first: jupyter nbconvert --to notebook --nbformat 4 --inplace FILE. document.read shows it as it is.",
    },
  );
}
