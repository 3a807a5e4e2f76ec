import * as z from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { Tool } from "../../contract/tool.ts";
import { refuseHalfCharacters } from "../../edit/source.ts";
import { counted } from "../../lib/counted.ts";
import type { EditData } from "../edit/edited-file.ts";
import { type CellEdit, type CellName, type CellType, cellTypes } from "./cells/cell-edit.ts";
import { changeNotebook, diffOfNotebook } from "./change-notebook.ts";

export interface NotebookEditInput {
  readonly path: string;
  readonly operation: "replace" | "insert_before" | "insert_after" | "append" | "delete";
  readonly cell?: string | number | undefined;
  readonly source?: string | undefined;
  readonly cell_type?: CellType | undefined;
  readonly keep_outputs?: boolean | undefined;
}

export interface NotebookEditData extends EditData {
  /** The cell that was changed or added; undefined when it was deleted. */
  readonly cell: CellName | undefined;
  /** How many cells the notebook has now. */
  readonly cells: number;
}

/** Changes one cell of a notebook. */
export const notebookEdit: Tool<NotebookEditInput, NotebookEditData> = {
  name: "notebook.edit",
  summary: "Replace, insert or delete one cell of a notebook. See cells with document.read.",
  risk: "write",
  input: z.strictObject({
    path: z.string(),
    operation: z
      .enum(["replace", "insert_before", "insert_after", "append", "delete"])
      .check(z.describe("append and a first cell need no `cell`.")),
    cell: z.optional(z.union([z.int(), z.string()]).check(z.describe("Number from 1, or id."))),
    source: z.optional(z.string().check(z.describe("The cell's whole source."))),
    cell_type: z.optional(z.enum(cellTypes)),
    keep_outputs: z.optional(z.boolean()),
  }),
  limits: { maxChars: 10_000, keep: "both" },
  accesses: ({ path }) => [{ kind: "write", path }],
  preview: (input, context) => diffOfNotebook(input.path, cellEdit(input), context),

  async run(input, context) {
    const { files, description, cell, total } = await changeNotebook(input.path, cellEdit(input), context);
    return {
      data: { files, cell, cells: total },
      text: `${description}\nThe notebook has ${counted(total, "cell")}.`,
    };
  },
};

function cellEdit(input: NotebookEditInput): CellEdit {
  const { operation, cell, source, cell_type: type, keep_outputs: keepOutputs = false } = input;
  if (source !== undefined) refuseHalfCharacters(source);
  if (operation === "append") return { operation, source: needed(source, input), type };
  if (cell === undefined && operation !== "insert_before") throw missing("cell", input);
  if (operation === "delete") return { operation, cell: cell! };
  if (operation === "replace") return { operation, cell: cell!, source, type, keepOutputs };
  return { operation, cell, source: needed(source, input), type };
}

function needed(source: string | undefined, input: NotebookEditInput): string {
  if (source === undefined) throw missing("source", input);
  return source;
}

function missing(field: "cell" | "source", { operation }: NotebookEditInput): ToolError {
  return new ToolError("invalid-input", `${operation} needs a ${field}`, {
    hint:
      field === "cell"
        ? "Name a cell by its number, counted from 1, or by its id."
        : "Give the source of the new cell.",
  });
}
