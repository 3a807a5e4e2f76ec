import * as z from "zod/mini";
import { locate } from "../../code/smart/locate.ts";
import type { TextLocation } from "../../code/smart/location.ts";
import { ToolError } from "../../contract/error.ts";
import type { PreviewContext, Tool, ToolContext, ToolOutput } from "../../contract/tool.ts";
import { showDiff } from "../../edit/rewrite/show-diff.ts";
import { flag } from "../fields.ts";
import { describeEdit, type EditData, editedFile } from "./describe-edit.ts";
import { explainMiss } from "./drift.ts";
import { noteWritten, retryWhenStale, withErrors } from "./edit-files.ts";
import { newErrorsOf } from "./new-errors.ts";
import { type PlannedFile, withFileState } from "./plan-files.ts";
import { refuseFault } from "./replace-fields.ts";
import { planTarget } from "./smart/plan-target.ts";
import { readSmartFile, refuseOutdatedNumbers } from "./smart/smart-file.ts";

export interface EditSmartData extends EditData {
  /** The location, and how it was interpreted. */
  readonly place: Pick<TextLocation, "way" | "firstLine" | "lastLine" | "score">;
  /** The name of the checkpoint for journal.undo; undefined when nothing was changed, or without a journal. */
  readonly checkpoint: string | undefined;
}

const fields = z.strictObject({
  path: z.string(),
  location: z.string().check(
    z.refine((location) => location.trim() !== "", { error: "is empty: describe the location" }),
    z.describe('Text in the file, "lines 10-20", "fn run", or "the function that checks tokens".'),
  ),
  operation: z.enum(["replace", "insert_before", "insert_after", "delete"]),
  content: z.optional(z.string()),
  as_is: flag("Do not adjust indentation."),
  preview: flag("Only show it."),
});

export type EditSmartInput = z.infer<typeof fields>;

export const editSmart: Tool<EditSmartInput, EditSmartData> = {
  name: "edit.smart",
  description:
    "Edit at a location given by line numbers, symbol or description; refuses if it is ambiguous. If you can quote the text, use edit.replace.",
  risk: "write",
  input: fields.check(refuseFault(faultIn)),
  limits: { maxChars: 20_000, keep: "both" },
  accesses: ({ path, preview }) => [{ kind: preview ? "read" : "write", path }],
  preview: async (input, context) => showDiff((await planSmart(input, context)).planned.plan),

  async run(input, context) {
    let checkpoint: string | undefined;
    return retryWhenStale(
      () => planSmart(input, context),
      async ({ planned, found }) => {
        if (input.preview) return answer(planned, found, "planned");
        checkpoint ??= await setCheckpoint(context);
        await write(planned, context);
        const done = answer(planned, found, "done", checkpoint);
        const added = await newErrorsOf([planned.plan], context);
        return {
          ...done,
          data: withErrors(done.data, added),
          text: done.text + added.text + undoHint(checkpoint, context),
        };
      },
      // Line numbers may select other lines in changed content.
      (_error, { found }) => found.way !== "line numbers",
    );
  },
};

function faultIn({ operation, content = "" }: EditSmartInput): string | undefined {
  // Models often send `content` with delete, where it has no meaning.
  if (operation === "delete" || content !== "") return undefined;
  return operation === "replace"
    ? "`content` is missing: the new text; to remove it use delete"
    : "`content` is missing: what to insert";
}

async function planSmart(
  { path, location, operation, content = "", as_is: asIs }: EditSmartInput,
  context: PreviewContext,
): Promise<{ readonly planned: PlannedFile; readonly found: TextLocation }> {
  const file = await readSmartFile(path, context);
  try {
    const found = locate(file, location);
    if (found.way === "line numbers") await refuseOutdatedNumbers(file, found, context);
    const plan = await planTarget(file, found, { location, operation, content, asIs }, context);
    return { planned: await withFileState(plan, context), found };
  } catch (error) {
    throw await explainMiss(error, file, context);
  }
}

async function write({ plan, beforeHash }: PlannedFile, context: ToolContext): Promise<void> {
  if (plan.action !== "update")
    throw new ToolError("internal", `The plan for ${plan.path} does not update it`);
  const { path, after } = plan;
  await context.environment.change([{ path, before: beforeHash!, after }], { signal: context.signal });
  noteWritten(path, after, context);
}

/** Returns the name of a new checkpoint, or undefined without a journal. */
async function setCheckpoint({ history }: ToolContext): Promise<string | undefined> {
  try {
    return (await history.setCheckpoint()).name;
  } catch (error) {
    if (error instanceof ToolError && error.code === "unavailable") return undefined;
    throw error;
  }
}

function answer(
  planned: PlannedFile,
  { way, firstLine, lastLine, score }: TextLocation,
  mood: "done" | "planned",
  checkpoint?: string,
): ToolOutput<EditSmartData> {
  return {
    data: { files: [editedFile(planned)], place: { way, firstLine, lastLine, score }, checkpoint },
    text: describeEdit([planned], mood),
  };
}

function undoHint(checkpoint: string | undefined, { wording }: ToolContext): string {
  if (checkpoint === undefined) return "";
  return `\n${wording(`To undo: journal.undo with checkpoint ${checkpoint}.`)}`;
}
