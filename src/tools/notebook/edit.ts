import * as z from "zod/mini";
import { spliced } from "../../code/blocks/block-change.ts";
import { ToolError } from "../../contract/error.ts";
import type { PreviewContext, Tool, ToolContext } from "../../contract/tool.ts";
import { showDiff } from "../../edit/rewrite/show-diff.ts";
import { refuseHalfCharacters, type Source, sourcesOf } from "../../edit/source.ts";
import { encodingOf } from "../../lib/text/encoding.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { filePlan } from "../code/file-plan.ts";
import { describeEdit, type EditData, type EditedFile, editedFile } from "../edit/describe-edit.ts";
import { explainMiss } from "../edit/drift.ts";
import { noteWritten, retryWhenStale } from "../edit/edit-files.ts";
import { withFileState } from "../edit/plan-files.ts";
import { string } from "../fields.ts";
import { editCells } from "./edit-cells.ts";
import { notebookFaults } from "./notebook-faults.ts";
import {
  type CellChange,
  type CellEdit,
  type CellName,
  cellTypes,
  readNotebookText,
} from "./notebook-text.ts";

export interface NotebookEditData extends EditData {
  /** The changed or added cell; undefined when it was deleted. */
  readonly cell: CellName | undefined;
  /** The number of cells after the edit. */
  readonly cells: number;
}

const input = z.strictObject({
  path: z.string(),
  operation: z
    .enum(["replace", "insert_before", "insert_after", "append", "delete"])
    .check(z.describe("append and the first insert need no `cell`.")),
  cell: z.optional(z.union([z.int(), z.string()]).check(z.describe("Number from 1, or id."))),
  source: string("The cell's whole source."),
  cell_type: z.optional(z.enum(cellTypes)),
  keep_outputs: z.optional(z.boolean()),
});

export type NotebookEditInput = z.infer<typeof input>;

export const notebookEdit: Tool<NotebookEditInput, NotebookEditData> = {
  name: "notebook.edit",
  description: "Replace, insert or delete one cell of a Jupyter notebook. Read cells with document.read.",
  risk: "write",
  input,
  limits: { maxChars: 10_000, keep: "both" },
  accesses: ({ path }) => [{ kind: "write", path }],
  preview: async (input, context) => showDiff((await planChange(input.path, cellEdit(input), context)).plan),

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
        ? "Give a cell by its number, from 1, or by its id."
        : "Give the source of the new cell.",
  });
}

interface ChangedNotebook extends Pick<CellChange, "cell" | "total"> {
  readonly files: readonly EditedFile[];
  /** The description of the change for the model. */
  readonly description: string;
}

/** Changes one cell; every other character of the notebook stays. */
async function changeNotebook(path: string, edit: CellEdit, context: ToolContext): Promise<ChangedNotebook> {
  const { environment, signal } = context;
  return retryWhenStale(
    async () => {
      const { plan, change } = await planChange(path, edit, context);
      return { after: plan.after, change, planned: await withFileState(plan, context) };
    },
    async ({ after, change: { cell, total }, planned }) => {
      await environment.change([{ path, before: planned.beforeHash!, after }], { signal });
      noteWritten(path, after, context);
      return { files: [editedFile(planned)], description: describeEdit([planned], "done"), cell, total };
    },
  );
}

async function planChange(path: string, edit: CellEdit, context: PreviewContext) {
  const file = await readNotebook(path, context);
  try {
    const change = editCells(readNotebookText(file.text, path), edit);
    const after = spliced(file.text, change.splices);
    if (after === file.text)
      throw new ToolError(
        "invalid-input",
        `${path}: the cell already has this content; nothing would change`,
        {
          hint: "Give a source or type that differs from the old.",
        },
      );
    refuseWorse(path, file.text, after);
    return { change, plan: filePlan({ file, after, notes: change.notes }) };
  } catch (error) {
    throw await explainMiss(error, file, context);
  }
}

const mostBytes = 64 * 1024 * 1024;

async function readNotebook(path: string, { environment, signal }: PreviewContext) {
  const { bytes } = await environment.readFile(path, { maxBytes: mostBytes, signal });
  if (!encodingOf(bytes).startsWith("utf-8"))
    throw new ToolError("unsupported", `${path} is not UTF-8, so it is not a notebook`, {
      hint: "Give an .ipynb file.",
    });
  const [source] = sourcesOf(path, bytes) as Generator<Source>;
  return { path, bytes, source: source!, text: source!.text.utf8.toString() };
}

/** Checks the result: an edit must not add a fault to a notebook. */
function refuseWorse(path: string, before: string, after: string): void {
  const known = new Map<string, number>();
  for (const fault of notebookFaults(JSON.parse(before))) known.set(fault, (known.get(fault) ?? 0) + 1);
  for (const fault of notebookFaults(JSON.parse(after))) known.set(fault, (known.get(fault) ?? 0) - 1);
  const added = [...known].filter(([, left]) => left < 0).map(([fault]) => fault);
  if (added.length > 0)
    throw new ToolError("internal", `${path} would not be a valid notebook: ${added.join("; ")}`);
}
