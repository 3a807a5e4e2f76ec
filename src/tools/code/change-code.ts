import { type Splice, spliced } from "../../code/blocks/block-change.ts";
import { damageOf } from "../../code/blocks/change-damage.ts";
import type { Outline } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import type { PreviewContext, ToolContext } from "../../contract/tool.ts";
import { showDiff } from "../../edit/rewrite/show-diff.ts";
import { byteOrderMarkLength } from "../../lib/text/encoding.ts";
import { describeEdit, type EditedFile, editedFile } from "../edit/describe-edit.ts";
import { explainMiss } from "../edit/drift.ts";
import { type PlannedFile, withFileState } from "../edit/plan-files.ts";
import { type CodeFile, readCode } from "./code-file.ts";
import { filePlan } from "./file-plan.ts";
import { changeChecked } from "./project-tools/change-checked.ts";
import { formatText } from "./project-tools/format-text.ts";
import { damaged } from "./settle-lines.ts";

export interface CodeEdit {
  readonly splices: readonly Splice[];
  /** For the answer. */
  readonly notes: readonly string[];
  /** Outline of the text with these splices, if it is known already. */
  readonly outline?: Outline | undefined;
}

/** Plans the change of a file's current content. Called again when the file changes meanwhile. */
export type PlanCode = (file: CodeFile, context: PreviewContext) => Promise<CodeEdit>;

export interface ChangeOptions {
  /** Runs the project's formatter on the file before it is written. */
  readonly runFormatter?: boolean | undefined;
  /** Runs the project's checker on the change, and reverts the change when that fails. */
  readonly runCheck?: boolean | undefined;
}

export interface ChangedCode {
  readonly files: readonly EditedFile[];
  /** Shown to the model. */
  readonly description: string;
  /** The new content. */
  readonly text: string;
  readonly outline: Outline;
}

/**
 * Changes only the named part of a code file; every other byte stays. Throws, and changes nothing, when the file
 * would parse worse than before.
 */
export async function changeCode(
  path: string,
  plan: PlanCode,
  options: ChangeOptions,
  context: ToolContext,
): Promise<ChangedCode> {
  for (let tries = 1; ; tries += 1) {
    const change = await planChange(path, plan, context);
    const formatted = options.runFormatter ? await format(change, context) : change;
    const planned = await withFileState(filePlan(formatted), context);
    try {
      const notes = await write(planned, options, context);
      return answer(formatted, {
        ...planned,
        plan: { ...planned.plan, notes: [...planned.plan.notes, ...notes] },
      });
    } catch (error) {
      // The file changed since it was planned; plan again from its current content.
      if (tries < maxTries && error instanceof ToolError && error.code === "stale" && !error.output) continue;
      throw error;
    }
  }
}

/** The diff of the change, for the approval prompt. */
export async function diffOfChange(
  path: string,
  plan: PlanCode,
  options: ChangeOptions,
  context: PreviewContext,
): Promise<string> {
  const diff = showDiff(filePlan(await planChange(path, plan, context)));
  return options.runFormatter ? `${diff}The file is formatted before it is written.\n` : diff;
}

/** Only a file that changes all the time needs more tries. */
const maxTries = 50;

interface PlannedChange {
  readonly file: CodeFile;
  readonly after: string;
  readonly outline: Outline;
  readonly notes: readonly string[];
}

async function planChange(path: string, plan: PlanCode, context: PreviewContext): Promise<PlannedChange> {
  const file = await readCode(path, context);
  try {
    const { splices, notes, outline: known } = await plan(file, context);
    const after = spliced(file.text, splices);
    if (after === file.text) throw changesNothing(path);
    const outline = known ?? (await context.code.outline({ path, text: after }, { signal: context.signal }));
    const damage = damageOf(file, outline, splices);
    if (damage) throw damaged(path, after, damage);
    return { file, after, outline, notes };
  } catch (error) {
    throw await explainMiss(error, file, context);
  }
}

async function format(change: PlannedChange, context: ToolContext): Promise<PlannedChange> {
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
  { runCheck }: ChangeOptions,
  context: ToolContext,
): Promise<readonly string[]> {
  if (plan.action !== "update") throw new ToolError("internal", `${plan.path} is not to be changed`);
  const { path, before, after } = plan;
  const checked = runCheck ? await changeChecked({ path, before, after }, context) : undefined;
  if (!checked)
    await context.environment.change([{ path, before: beforeHash!, after }], { signal: context.signal });
  // The caller has seen its own change.
  context.seen.note(path, { bytes: after.subarray(byteOrderMarkLength(after)), lines: "all" });
  return checked ? [`\`${checked.command}\` passes`] : [];
}

function answer({ after, outline }: PlannedChange, planned: PlannedFile): ChangedCode {
  return { files: [editedFile(planned)], description: describeEdit([planned], "done"), text: after, outline };
}

function changesNothing(path: string): ToolError {
  return new ToolError(
    "invalid-input",
    `${path}: the new code is what is there already, so nothing would change`,
    {
      hint: "Give new code that differs from the old.",
    },
  );
}
