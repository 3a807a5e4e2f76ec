import type { FileChange } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { PreviewContext, ToolContext, ToolOutput } from "../../contract/tool.ts";
import type { EditRequest } from "../../edit/edit-request.ts";
import { showDiff } from "../../edit/rewrite/show-diff.ts";
import { byteOrderMarkLength } from "../../lib/text/encoding.ts";
import { describeEdit, type EditData, editedFile } from "./describe-edit.ts";
import { type NewErrors, newErrorsOf } from "./new-errors.ts";
import { type PlannedFile, planFiles } from "./plan-files.ts";

interface EditOptions {
  /** The required SHA-256 of the file, or its first digits. */
  readonly expectedHash?: string | undefined;
  readonly hardLinks?: "break" | "keep" | undefined;
  /** How the answer shows the changed lines. Default: as a diff. */
  readonly show?: "diff" | "anchors" | undefined;
}

/** Makes all changes of a request, or none. */
export async function editFiles(
  request: EditRequest,
  options: EditOptions,
  context: ToolContext,
): Promise<ToolOutput<EditData>> {
  const { environment, signal } = context;
  return retryWhenStale(
    () => planFiles(request, options, context),
    async (planned) => {
      await environment.change(
        planned.flatMap((file) => changesFor(file, options)),
        { signal },
      );
      for (const { plan } of planned)
        if (plan.action !== "delete") noteWritten(plan.path, plan.after, context);
      const { data, text } = answer(planned, "done", options.show);
      const added = await newErrorsOf(
        planned.map(({ plan }) => plan),
        context,
      );
      return { data: withErrors(data, added), text: text + added.text };
    },
  );
}

/** Adds the errors to the data of an edit, if there are any. */
export function withErrors<Data extends EditData>(data: Data, { errors }: NewErrors): Data {
  return errors.length === 0 ? data : { ...data, newErrors: errors };
}

/**
 * Plans and writes, and does both again when a file changed in between. A plan that is itself refused as stale is not
 * repeated.
 */
export async function retryWhenStale<Plan, Result>(
  makePlan: () => Promise<Plan>,
  write: (plan: Plan) => Promise<Result>,
  mayRetry: (error: ToolError, plan: Plan) => boolean = () => true,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    const plan = await makePlan();
    try {
      return await write(plan);
    } catch (error) {
      const isStale = error instanceof ToolError && error.code === "stale";
      if (!isStale || tries === maxTries || !mayRetry(error, plan)) throw error;
    }
  }
}

/** A file that needs more tries changes all the time. */
const maxTries = 50;

/** Notes that the caller has seen its own change. */
export function noteWritten(path: string, bytes: Uint8Array, { seen }: Pick<ToolContext, "seen">): void {
  seen.note(path, { bytes: bytes.subarray(byteOrderMarkLength(bytes)), lines: "all" });
}

/** Reports what `editFiles` would do. */
export async function previewEdit(
  request: EditRequest,
  options: EditOptions,
  context: ToolContext,
): Promise<ToolOutput<EditData>> {
  return answer(await planFiles(request, options, context), "planned");
}

/** Returns the whole change as a unified diff, for the approval prompt. */
export async function diffOfEdit(
  request: EditRequest,
  options: EditOptions,
  context: PreviewContext,
): Promise<string> {
  const planned = await planFiles(request, options, context);
  return planned.map(({ plan, mode }) => showDiff(plan) + modeLine(plan.path, mode)).join("");
}

function modeLine(path: string, mode: number | undefined): string {
  return mode === undefined ? "" : `new mode of ${path}: ${mode.toString(8)}\n`;
}

export function changesFor(file: PlannedFile, { hardLinks }: EditOptions): readonly FileChange[] {
  const { plan, beforeHash: before = "nothing" } = file;
  const { path } = plan;
  if (plan.action === "delete") return [{ path, before, after: "nothing" }];
  const changed = { path, after: plan.after, mode: file.mode };
  switch (plan.action) {
    case "add":
      return [{ ...changed, before: "nothing" }];
    case "update":
      return [{ ...changed, before, hardLinks }];
    case "move":
      return [
        { path: plan.from, before, after: "nothing" },
        { ...changed, before: "nothing", like: plan.from },
      ];
    case "copy":
      return [{ ...changed, before: "nothing", like: plan.from }];
  }
}

function answer(
  planned: readonly PlannedFile[],
  mood: "done" | "planned",
  show?: EditOptions["show"],
): ToolOutput<EditData> {
  return { data: { files: planned.map(editedFile) }, text: describeEdit(planned, mood, show) };
}
