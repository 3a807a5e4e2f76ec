import { type Splice, spliced } from "../../code/blocks/block-change.ts";
import { damageOf } from "../../code/blocks/change-damage.ts";
import type { Outline } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import type { PreviewContext, ToolContext } from "../../contract/tool.ts";
import { showDiff } from "../../edit/rewrite/show-diff.ts";
import { describeEdit, type EditedFile, editedFile } from "../edit/describe-edit.ts";
import { explainMiss } from "../edit/drift.ts";
import { noteWritten, retryWhenStale } from "../edit/edit-files.ts";
import { newErrorsOf } from "../edit/new-errors.ts";
import { type PlannedFile, withFileState } from "../edit/plan-files.ts";
import type { EditFields } from "./block-fields.ts";
import { type CodeFile, readCode } from "./code-file.ts";
import { filePlan } from "./file-plan.ts";
import { changeChecked } from "./project-tools/change-checked.ts";
import { formatText } from "./project-tools/format-text.ts";
import { damaged } from "./settle-lines.ts";

export interface CodeEdit {
  readonly splices: readonly Splice[];
  /** Notes on the edit, which the answer shows. */
  readonly notes: readonly string[];
  /** The outline of the text after the splices, if it is known. */
  readonly outline?: Outline | undefined;
}

/** Plans a change to a file's current content. Called again if the file changes before it is written. */
export type PlanCode<Edit extends CodeEdit> = (file: CodeFile, context: PreviewContext) => Promise<Edit>;

/** Names the file to change and the project tools to run. */
interface ChangeTarget extends Pick<EditFields, "run_formatter" | "run_check"> {
  readonly path: string;
}

export interface ChangedCode<Edit extends CodeEdit = CodeEdit> {
  readonly edit: Edit;
  readonly files: readonly EditedFile[];
  /** The description of the change for the model. */
  readonly description: string;
  /** The new content of the file. */
  readonly text: string;
  readonly outline: Outline;
}

/**
 * Changes only the named part of a code file. Throws, and changes nothing, when the file would parse worse than before.
 */
export async function changeCode<Edit extends CodeEdit>(
  target: ChangeTarget,
  plan: PlanCode<Edit>,
  context: ToolContext,
): Promise<ChangedCode<Edit>> {
  return retryWhenStale(
    async () => {
      const change = await planChange(target.path, plan, context);
      const formatted = target.run_formatter ? await format(change, context) : change;
      return { formatted, planned: await withFileState(filePlan(formatted), context) };
    },
    async ({ formatted, planned }) => {
      const notes = [...planned.plan.notes, ...(await write(planned, target, context))];
      const done = { ...planned, plan: { ...planned.plan, notes } };
      const { edit, after: text, outline } = formatted;
      const added = await newErrorsOf([done.plan], context);
      const description = describeEdit([done], "done") + added.text;
      return { edit, files: [editedFile(done)], description, text, outline };
    },
    // An error with output comes from a checker, which runs after the file was changed.
    (error) => !error.output,
  );
}

/** Returns the diff of the change, for the approval prompt. */
export async function diffOfChange(
  { path, run_formatter }: ChangeTarget,
  plan: PlanCode<CodeEdit>,
  context: PreviewContext,
): Promise<string> {
  const diff = showDiff(filePlan(await planChange(path, plan, context)));
  return run_formatter ? `${diff}The file is formatted before it is written.\n` : diff;
}

interface PlannedChange<Edit> {
  readonly edit: Edit;
  readonly file: CodeFile;
  readonly after: string;
  readonly outline: Outline;
  readonly notes: readonly string[];
}

async function planChange<Edit extends CodeEdit>(
  path: string,
  plan: PlanCode<Edit>,
  context: PreviewContext,
): Promise<PlannedChange<Edit>> {
  const file = await readCode(path, context);
  try {
    const edit = await plan(file, context);
    const { splices, notes, outline: known } = edit;
    const after = spliced(file.text, splices);
    if (after === file.text) throw changesNothing(path);
    const outline = known ?? (await context.code.outline({ path, text: after }, { signal: context.signal }));
    const damage = damageOf(file, outline, splices);
    if (damage) throw damaged(path, after, damage);
    return { edit, file, after, outline, notes };
  } catch (error) {
    throw await explainMiss(error, file, context);
  }
}

async function format<Edit>(change: PlannedChange<Edit>, context: ToolContext): Promise<PlannedChange<Edit>> {
  const { path, outline: before } = change.file;
  const { text: after, command } = await formatText({ path, text: change.after }, context);
  if (after === change.file.text) throw changesNothing(path);
  const outline = await context.code.outline({ path, text: after }, { signal: context.signal });
  if (outline.faults.length > Math.max(before.faults.length, change.outline.faults.length))
    throw damaged(path, after, { faults: outline.faults, lost: [] });
  return { ...change, after, outline, notes: [...change.notes, `formatted by \`${command}\``] };
}

async function write(
  { plan, beforeHash }: PlannedFile,
  { run_check }: ChangeTarget,
  context: ToolContext,
): Promise<readonly string[]> {
  if (plan.action !== "update")
    throw new ToolError("internal", `The plan for ${plan.path} does not update it`);
  const { path, before, after } = plan;
  const command = run_check ? await changeChecked({ path, before, after }, context) : undefined;
  if (command === undefined)
    await context.environment.change([{ path, before: beforeHash!, after }], { signal: context.signal });
  noteWritten(path, after, context);
  return command === undefined ? [] : [`\`${command}\` passes`];
}

function changesNothing(path: string): ToolError {
  return new ToolError(
    "invalid-input",
    `${path}: the new code equals the current code; nothing would change`,
    { hint: "Give new code that differs from the old." },
  );
}
