import type { FilePlan } from "../../edit/edit-request.ts";
import { showDiff } from "../../edit/rewrite/show-diff.ts";
import { counted } from "../../lib/counted.ts";
import { notesOn } from "./edited-file.ts";
import type { PlannedFile } from "./plan-files.ts";
import { boundDiff, type LineSpan, listLines } from "./show-lines.ts";

/** What was done, or would be, as the model is told. */
export function describeEdit(files: readonly PlannedFile[], mood: "done" | "planned"): string {
  return files.map((file) => describeFile(file, mood)).join("\n");
}

function describeFile(file: PlannedFile, mood: "done" | "planned"): string {
  const { plan } = file;
  const head = `${verbs[plan.action][mood]} ${subjectOf(file)}${hashesOf(file)}`;
  // Who adds or deletes a file knows its lines.
  const isShown = plan.changes.length > 0 && plan.action !== "add" && plan.action !== "delete";
  return [
    `${head}${isShown ? ":" : "."}`,
    ...notesOn(file).map((note) => `(${note})`),
    ...(isShown ? compactDiff(plan) : []),
  ].join("\n");
}

const verbs = {
  add: { done: "Created", planned: "Would create" },
  update: { done: "Edited", planned: "Would edit" },
  delete: { done: "Deleted", planned: "Would delete" },
  move: { done: "Moved", planned: "Would move" },
  copy: { done: "Copied", planned: "Would copy" },
} as const;

function subjectOf({ plan, target, mode }: PlannedFile): string {
  const { path, changes } = plan;
  const name = target === undefined ? path : `${path} (a link: the file is ${target})`;
  const places = changes.length === 0 ? "" : listLines(spansAfter(changes));
  const permissions = mode === undefined ? "" : `, mode ${mode.toString(8)}`;
  switch (plan.action) {
    case "add":
      return `${name}, ${counted(changes[0]?.addedLines ?? 0, "line")}${permissions}`;
    case "delete":
      return `${name}, ${counted(changes[0]?.removedLines ?? 0, "line")}`;
    case "update":
      return `${name}${places && ` at ${places}`}${permissions}`;
    case "move":
    case "copy":
      return `${plan.from} to ${name}${places && `, changed at ${places}`}${permissions}`;
  }
}

/** The changed lines as they are numbered afterwards; where lines only went, the one that is there now. */
function spansAfter(changes: FilePlan["changes"]): readonly LineSpan[] {
  let growth = 0;
  return changes.map(({ firstLine, removedLines, addedLines }) => {
    const first = firstLine + growth;
    growth += addedLines - removedLines;
    return { first, last: Math.max(first, first + addedLines - 1) };
  });
}

/** As many digits as tell contents apart and can be given back as the expected hash. */
const shownDigits = 12;

function hashesOf({ beforeHash, afterHash }: PlannedFile): string {
  const [before, after] = [beforeHash, afterHash].map((hash) => hash?.slice(0, shownDigits));
  if (before === undefined) return ` (${after})`;
  if (after === undefined) return ` (was ${before})`;
  return before === after ? ` (${after})` : ` (${before} → ${after})`;
}

const maxChanges = 20;

function compactDiff(plan: FilePlan): readonly string[] {
  const diff = boundDiff(showDiff({ ...plan, changes: plan.changes.slice(0, maxChanges) }));
  const hidden = plan.changes.length - maxChanges;
  return hidden > 0 ? [diff, `… ${counted(hidden, "more change")}`] : [diff];
}
