import { type Splice, spliced } from "../../code/blocks/block-change.ts";
import { damageOf } from "../../code/blocks/change-damage.ts";
import type { Outline } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import type { PreviewContext, ToolContext } from "../../contract/tool.ts";
import { showDiff } from "../../edit/rewrite/show-diff.ts";
import { byteOrderMarkLength } from "../../lib/encoding.ts";
import { describeEdit, type EditedFile, editedFile } from "../edit/describe-edit.ts";
import { explainMiss } from "../edit/drift.ts";
import { type PlannedFile, withFileState } from "../edit/plan-files.ts";
import { type CodeFile, readCode } from "./code-file.ts";
import { filePlan } from "./file-plan.ts";
import { changeChecked } from "./project-tools/change-checked.ts";
import { formatText } from "./project-tools/format-text.ts";
import { damaged } from "./settle-lines.ts";

/** What is to change in a text. */
export interface CodeEdit {
  readonly splices: readonly Splice[];
  /** What there is to say about it, in the answer. */
  readonly notes: readonly string[];
  /** Of the text with these splices, where it is known already. */
  readonly outline?: Outline | undefined;
}

/** Decides what is to change in a file as it is now. Asked again when somebody changes the file meanwhile. */
export type PlanCode = (file: CodeFile, context: PreviewContext) => Promise<CodeEdit>;

export interface ChangeOptions {
  /** Has the project's own formatter go over the file before it is written. */
  readonly runFormatter?: boolean | undefined;
  /** Has the project's own checker see the change, and takes it back when that fails. */
  readonly runCheck?: boolean | undefined;
}

/** What became of the file. */
export interface ChangedCode {
  readonly files: readonly EditedFile[];
  /** What was done, as the model is told. */
  readonly description: string;
  /** The file as it is now. */
  readonly text: string;
  readonly outline: Outline;
}

/**
 * Changes a file of code: nothing but what is named, every other byte as it was, and only if it parses no worse than
 * before. Throws, and changes nothing, otherwise.
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
      // Somebody was quicker: the change is planned again for what is there now.
      if (tries < maxTries && error instanceof ToolError && error.code === "stale" && !error.output) continue;
      throw error;
    }
  }
}

/** The difference that it would make, for the person who is asked. */
export async function diffOfChange(
  path: string,
  plan: PlanCode,
  options: ChangeOptions,
  context: PreviewContext,
): Promise<string> {
  const diff = showDiff(filePlan(await planChange(path, plan, context)));
  return options.runFormatter ? `${diff}The file is formatted before it is written.\n` : diff;
}

/** Each time somebody else has got further; more often only where a file never rests. */
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
  // Who made a change knows what is there now.
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
