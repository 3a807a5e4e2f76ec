import * as z from "zod/mini";
import { spliced } from "../../code/blocks/block-change.ts";
import { ToolError } from "../../contract/error.ts";
import type { PreviewContext, Tool, ToolContext } from "../../contract/tool.ts";
import { showDiff } from "../../edit/rewrite/show-diff.ts";
import { refuseHalfCharacters, type Source, sourcesOf } from "../../edit/source.ts";
import { byteOrderMarkLength, detectEncoding, detectionBytes } from "../../lib/text/encoding.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { filePlan } from "../code/file-plan.ts";
import { describeEdit, type EditData, type EditedFile, editedFile } from "../edit/describe-edit.ts";
import { explainMiss } from "../edit/drift.ts";
import { withFileState } from "../edit/plan-files.ts";
import { string } from "../fields.ts";
import { editCells } from "./edit-cells.ts";
import {
  type CellChange,
  type CellEdit,
  type CellName,
  cellTypes,
  notebookFaults,
  readNotebookText,
} from "./notebook-text.ts";

export interface NotebookEditData extends EditData {
  /** The changed or added cell; undefined when it was deleted. */
  readonly cell: CellName | undefined;
  /** Number of cells after the edit. */
  readonly cells: number;
}

const input = z.strictObject({
  path: z.string(),
  operation: z
    .enum(["replace", "insert_before", "insert_after", "append", "delete"])
    .check(z.describe("append and a first cell need no `cell`.")),
  cell: z.optional(z.union([z.int(), z.string()]).check(z.describe("Number from 1, or id."))),
  source: string("The cell's whole source."),
  cell_type: z.optional(z.enum(cellTypes)),
  keep_outputs: z.optional(z.boolean()),
});

export type NotebookEditInput = z.infer<typeof input>;

/** Changes one cell of a notebook. */
export const notebookEdit: Tool<NotebookEditInput, NotebookEditData> = {
  name: "notebook.edit",
  summary: "Replace, insert or delete one cell of a notebook. See cells with document.read.",
  risk: "write",
  input,
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

interface ChangedNotebook extends Pick<CellChange, "cell" | "total"> {
  readonly files: readonly EditedFile[];
  /** Shown to the model. */
  readonly description: string;
}

/** Changes a cell, and no byte besides; a valid notebook must stay valid. */
async function changeNotebook(path: string, edit: CellEdit, context: ToolContext): Promise<ChangedNotebook> {
  const { environment, seen, signal } = context;
  for (let tries = 1; ; tries += 1) {
    const { plan, change } = await planChange(path, edit, context);
    const planned = await withFileState(plan, context);
    try {
      await environment.change([{ path, before: planned.beforeHash!, after: plan.after }], { signal });
    } catch (error) {
      // The file changed since it was planned; plan again from its current content.
      if (tries < maxTries && error instanceof ToolError && error.code === "stale") continue;
      throw error;
    }
    // The caller has seen its own change.
    seen.note(path, { bytes: plan.after.subarray(byteOrderMarkLength(plan.after)), lines: "all" });
    const { cell, total } = change;
    return { files: [editedFile(planned)], description: describeEdit([planned], "done"), cell, total };
  }
}

/** The diff of the change, for the approval prompt. */
async function diffOfNotebook(path: string, edit: CellEdit, context: PreviewContext): Promise<string> {
  return showDiff((await planChange(path, edit, context)).plan);
}

/** Only a file that changes all the time needs more tries. */
const maxTries = 50;

async function planChange(path: string, edit: CellEdit, context: PreviewContext) {
  const file = await readNotebook(path, context);
  try {
    const change = editCells(readNotebookText(file.text, path), edit);
    const after = spliced(file.text, change.splices);
    if (after === file.text) throw changesNothing(path);
    refuseWorse(path, file.text, after);
    return { change, plan: filePlan({ file, after, notes: change.notes }) };
  } catch (error) {
    throw await explainMiss(error, file, context);
  }
}

const mostBytes = 64 * 1024 * 1024;

async function readNotebook(path: string, { environment, signal }: PreviewContext) {
  const { bytes } = await environment.readFile(path, { maxBytes: mostBytes, signal });
  const head = bytes.subarray(0, detectionBytes);
  const encoding = detectEncoding(head, { complete: head.length === bytes.length });
  if (!encoding.startsWith("utf-8")) throw notUtf8(path);
  const [source] = sourcesOf(path, bytes) as Generator<Source>;
  return { path, bytes, source: source!, text: source!.text.utf8.toString() };
}

/** Faults from before are not this edit's business; new ones are. */
function refuseWorse(path: string, before: string, after: string): void {
  const counts = new Map<string, number>();
  for (const fault of notebookFaults(JSON.parse(before))) counts.set(fault, (counts.get(fault) ?? 0) + 1);
  for (const fault of notebookFaults(JSON.parse(after))) counts.set(fault, (counts.get(fault) ?? 0) - 1);
  const added = [...counts].filter(([, left]) => left < 0).map(([fault]) => fault);
  if (added.length > 0)
    throw new ToolError("internal", `${path} would be no valid notebook: ${added.join("; ")}`);
}

function changesNothing(path: string): ToolError {
  return new ToolError("invalid-input", `${path}: the cell is like this already, so nothing would change`, {
    hint: "Give a source or type that differs from the old.",
  });
}

function notUtf8(path: string): ToolError {
  return new ToolError("unsupported", `${path} is not in UTF-8, as notebooks are`, {
    hint: "Name an .ipynb file.",
  });
}
