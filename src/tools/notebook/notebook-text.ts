import { ToolError } from "../../contract/error.ts";
import {
  type JsonArray,
  type JsonNode,
  type JsonObject,
  memberOf,
  scanJson,
} from "../../lib/json/scan-json.ts";
import { shellWord } from "../../lib/text/shell-quote.ts";

/** A notebook as text, with the positions of its cells. */
export interface NotebookText {
  readonly name: string;
  readonly text: string;
  readonly style: JsonStyle;
  readonly list: JsonArray;
  /** The indentation of the line in which the list begins. */
  readonly indentation: string | undefined;
  readonly cells: readonly CellText[];
  /** Whether every cell has an id, as from nbformat 4.5 on. */
  readonly hasIds: boolean;
}

export interface CellText extends CellName {
  readonly node: JsonObject;
}

/**
 * Reads a notebook for editing. Throws `unsupported` for other content and old versions, `too-large` for too many
 * values.
 */
export function readNotebookText(text: string, name: string): NotebookText {
  const root = scanJson(text, name, mostValues);
  const scalarOf = (node: JsonNode | undefined): unknown =>
    node === undefined || node.kind === "object" || node.kind === "array"
      ? undefined
      : JSON.parse(text.slice(node.start, node.end));
  const version = scalarOf(memberOf(root, "nbformat")?.value);
  if (typeof version !== "number") throw notANotebook(name, 'it has no "nbformat"');
  if (version !== 4)
    throw new ToolError(
      "unsupported",
      `${name} is a notebook of version ${version}; only version 4 can be edited`,
      {
        hint: `Convert it first: jupyter nbconvert --to notebook --nbformat 4 --inplace ${shellWord(name)}`,
      },
    );
  const member = memberOf(root, "cells");
  const list = member?.value;
  if (list?.kind !== "array") throw notANotebook(name, 'its "cells" is not a list');
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

/** This many values are parsed in a second or two. Large notebooks are large by images, which are one value. */
const mostValues = 1_000_000;

function notANotebook(name: string, why: string): ToolError {
  return new ToolError("unsupported", `${name} is not a Jupyter notebook: ${why}`, {
    hint: "Give an .ipynb file; edit other files with edit.replace.",
  });
}

interface JsonStyle {
  /** The indentation of one level; undefined if everything is on one line. */
  readonly indent: string | undefined;
  readonly lineEnd: string;
  readonly colon: string;
  /** The separator of values on one line. */
  readonly comma: string;
  /** Whether letters outside ASCII are written as \u escapes. */
  readonly isAscii: boolean;
}

/** The style in which Jupyter writes notebooks. */
const jupyterStyle: JsonStyle = { indent: " ", lineEnd: "\n", colon: ": ", comma: ", ", isAscii: false };

/** Detects the style of a text from its first members. */
function styleOf(text: string, root: JsonNode): JsonStyle {
  if (root.kind !== "object" || root.members.length === 0) return jupyterStyle;
  const [first, second] = root.members;
  const before = text.slice(root.start + 1, first!.start);
  const newLine = before.lastIndexOf("\n");
  return {
    indent: newLine === -1 ? undefined : before.slice(newLine + 1),
    lineEnd: before.includes("\r\n") ? "\r\n" : "\n",
    colon: text.slice(first!.keyEnd, first!.value.start),
    comma: newLine === -1 && second ? text.slice(first!.end, second.start) : ", ",
    isAscii: !otherLetters.test(text) && escapedLetters.test(text),
  };
}

const otherLetters = /[^\0-\x7f]/;
const escapedLetters = /(?<!\\)(?:\\\\)*\\u(?:00[89a-f]|0[1-9a-f]|[1-9a-f])/i;

/** Writes a value in a style. `indentation` is that of its first line; if undefined, the value stays on one line. */
export function writeJson(value: unknown, style: JsonStyle, indentation: string | undefined): string {
  if (typeof value === "string") return writeString(value, style);
  if (Array.isArray(value))
    return enclose(
      "[]",
      value.map((item) => writeJson(item, style, deeper(style, indentation))),
      style,
      indentation,
    );
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return enclose(
    "{}",
    Object.entries(value).map(([key, item]) =>
      writeMember(key, writeJson(item, style, deeper(style, indentation)), style),
    ),
    style,
    indentation,
  );
}

export function writeMember(key: string, value: string, style: JsonStyle): string {
  return writeString(key, style) + style.colon + value;
}

/** Joins written parts in brackets: one per line, or all on one line. */
export function enclose(
  [open, close]: string,
  parts: readonly string[],
  style: JsonStyle,
  indentation: string | undefined,
): string {
  const inner = deeper(style, indentation);
  if (parts.length === 0 || inner === undefined) return `${open}${parts.join(style.comma)}${close}`;
  const { lineEnd } = style;
  const lines = parts.join(`,${lineEnd}${inner}`);
  return `${open}${lineEnd}${inner}${lines}${lineEnd}${indentation}${close}`;
}

export function deeper({ indent }: JsonStyle, indentation: string | undefined): string | undefined {
  return indentation === undefined || indent === undefined ? undefined : indentation + indent;
}

/** Returns the indentation of a line, or undefined if other text precedes this offset in it. */
export function indentationAt(text: string, offset: number): string | undefined {
  const before = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return text.lastIndexOf("\n", offset - 1) !== -1 && /^[ \t]*$/.test(before) ? before : undefined;
}

function writeString(text: string, { isAscii }: JsonStyle): string {
  const written = JSON.stringify(text);
  if (!isAscii) return written;
  return written.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export const cellTypes = ["code", "markdown", "raw"] as const;

export type CellType = (typeof cellTypes)[number];

/** An edit of the cells of a notebook. A cell is named by its number from 1, or by its id. */
export type CellEdit =
  | Replacement
  | {
      readonly operation: "insert_before" | "insert_after";
      /** Default: the first cell. */
      readonly cell: string | number | undefined;
      readonly source: string;
      /** Default: the type of the neighbouring cell. */
      readonly type: CellType | undefined;
    }
  | { readonly operation: "append"; readonly source: string; readonly type: CellType | undefined }
  | { readonly operation: "delete"; readonly cell: string | number };

export interface Replacement {
  readonly operation: "replace";
  readonly cell: string | number;
  /** Default: the old source. */
  readonly source: string | undefined;
  readonly type: CellType | undefined;
  readonly keepOutputs: boolean;
}

/** Holds the text changes of an edit. Every other character stays. */
export interface CellChange {
  /** Splices that do not overlap. Offsets count UTF-16 units. */
  readonly splices: readonly TextSplice[];
  /** The changed or added cell after the edit; undefined when the cell is deleted. */
  readonly cell: CellName | undefined;
  /** The number of cells after the edit. */
  readonly total: number;
  readonly notes: readonly string[];
}

export interface CellName {
  /** The number of the cell, from 1. */
  readonly number: number;
  readonly id: string | undefined;
  readonly type: string;
}

export interface TextSplice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}
