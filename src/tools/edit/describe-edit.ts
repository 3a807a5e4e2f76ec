import type { Diagnostic } from "../../contract/language-server.ts";
import { anchoredText, joinLines, showAnchored } from "../../edit/anchors.ts";
import type { Change, FilePlan } from "../../edit/edit-request.ts";
import type { TierName } from "../../edit/match/tiers.ts";
import { showDiff } from "../../edit/rewrite/show-diff.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import type { PlannedFile } from "./plan-files.ts";
import { boundDiff, type LineSpan, listLines } from "./show-lines.ts";

/** Describes the changes that were made, or are planned, for the model. */
export function describeEdit(
  files: readonly PlannedFile[],
  mood: "done" | "planned",
  show: "diff" | "anchors" = "diff",
): string {
  return files.map((file) => describeFile(file, mood, show)).join("\n");
}

function describeFile(file: PlannedFile, mood: "done" | "planned", show: "diff" | "anchors"): string {
  const { plan } = file;
  const head = `${verbs[plan.action][mood]} ${subjectOf(file)}${hashesOf(file)}`;
  // The lines of an added or deleted file are not shown, because the caller knows them.
  const isShown = plan.changes.length > 0 && plan.action !== "add" && plan.action !== "delete";
  return [
    `${head}${isShown ? ":" : "."}`,
    ...notesOn(file).map((note) => `(${note})`),
    ...(isShown ? (show === "anchors" ? anchoredLines(plan) : compactDiff(plan)) : []),
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
  const lines = changes.length === 0 ? "" : listLines(spansAfter(changes));
  const permissions = mode === undefined ? "" : `, mode ${mode.toString(8)}`;
  switch (plan.action) {
    case "add":
      return `${name}, ${counted(changes[0]?.addedLines ?? 0, "line")}${permissions}`;
    case "delete":
      return `${name}, ${counted(changes[0]?.removedLines ?? 0, "line")}`;
    case "update":
      return `${name}${lines && ` at ${lines}`}${permissions}`;
    case "move":
    case "copy":
      return `${plan.from} to ${name}${lines && `, changed at ${lines}`}${permissions}`;
  }
}

/** Returns the changed lines by their new numbers; for removed lines, the line now in their position. */
function spansAfter(changes: FilePlan["changes"]): readonly LineSpan[] {
  let growth = 0;
  return changes.map(({ firstLine, removedLines, addedLines }) => {
    const first = firstLine + growth;
    growth += addedLines - removedLines;
    return { first, last: Math.max(first, first + addedLines - 1) };
  });
}

/** The shown digits of a hash are enough to distinguish contents and to send back as the expected hash. */
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

/** Shows the changed lines and their neighbours with their new anchors. */
function anchoredLines(plan: FilePlan): readonly string[] {
  if (!("after" in plan)) return [];
  const { lines } = anchoredText(plan.path, plan.after);
  const wanted = spansAfter(plan.changes).map(({ first, last }) => ({ first: first - 2, last: last + 2 }));
  const spans = joinLines(wanted, lines.length);
  return [spans.map((span) => showAnchored(lines, span).join("\n")).join("\n…\n")];
}

/** Holds the effect of an edit, file by file in the order of the request. */
export interface EditData {
  readonly files: readonly EditedFile[];
  /** Errors that the edit has added, if a language server runs and there are any. */
  readonly newErrors?: readonly Diagnostic[] | undefined;
}

export interface EditedFile {
  readonly action: FilePlan["action"];
  readonly path: string;
  /** The old path of a moved file, or the source of a copy. */
  readonly from: string | undefined;
  /** The file behind a link, relative to the workspace. */
  readonly target: string | undefined;
  /** SHA-256 of the content; undefined when the file does not exist. */
  readonly beforeHash: string | undefined;
  readonly afterHash: string | undefined;
  /** The replaced lines, and how they were found. */
  readonly changes: readonly Change[];
  /** The number of occurrences, if only the first was replaced. */
  readonly occurrences?: number;
  /** New permission bits, if they changed. */
  readonly mode: number | undefined;
  /** Notes on the differences tolerated to find the text, and on changes by others. */
  readonly notes: readonly string[];
  /** The whole change as a unified diff, computed on first use. */
  readonly diff: string;
}

export function editedFile(file: PlannedFile): EditedFile {
  const { plan, target, beforeHash, afterHash, mode } = file;
  return {
    action: plan.action,
    path: plan.path,
    from: "from" in plan ? plan.from : undefined,
    target,
    beforeHash,
    afterHash,
    changes: plan.changes,
    occurrences: plan.occurrences,
    mode,
    notes: notesOn(file),
    get diff() {
      return showDiff(plan);
    },
  };
}

function notesOn({ plan, drift }: PlannedFile): readonly string[] {
  const tiers = new Set(plan.changes.map(({ tier }) => tier));
  return [
    ...(drift ? [`changed since you last saw it, at ${drift.at}; your edit still fits`] : []),
    ...[...tiers].flatMap((tier) => tierNotes[tier] ?? []),
    ...plan.notes,
  ];
}

/** Describes the differences that a match tolerated. The plan's own notes explain the other tiers. */
const tierNotes: Readonly<Partial<Record<TierName, string>>> = {
  "line-ends": "found with other line ends; the file's were kept",
  "trailing-blanks": "found with other trailing whitespace",
  indentation: "found with other indentation; the new lines were fitted",
  glyphs: "found with other quotes, dashes or spaces; the file's were kept",
};
