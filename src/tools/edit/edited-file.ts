import type { Change, FilePlan } from "../../edit/edit-request.ts";
import type { TierName } from "../../edit/match/tiers.ts";
import { showDiff } from "../../edit/rewrite/show-diff.ts";
import type { PlannedFile } from "./plan-files.ts";

/** What an edit did, or would do; a file each, in the order of the request. */
export interface EditData {
  readonly files: readonly EditedFile[];
}

export interface EditedFile {
  readonly action: FilePlan["action"];
  readonly path: string;
  /** Where it was before a move, or what it is a copy of. */
  readonly from: string | undefined;
  /** The file itself, when a link led to it; relative to the workspace. */
  readonly target: string | undefined;
  /** SHA-256 of the content; undefined when there is none. */
  readonly beforeHash: string | undefined;
  readonly afterHash: string | undefined;
  /** The lines that gave way to others, and how their place was found. */
  readonly changes: readonly Change[];
  /** How many places there were, when the first of them was to be changed. */
  readonly occurrences?: number;
  /** Permission bits it was given, where they changed. */
  readonly mode: number | undefined;
  /** What was overlooked to find the places, and what others have changed in between. */
  readonly notes: readonly string[];
  /** All of it as a unified diff, to be read; worked out when looked at. */
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
    ...(plan.occurrences === undefined ? {} : { occurrences: plan.occurrences }),
    mode,
    notes: notesOn(file),
    get diff() {
      return showDiff(plan);
    },
  };
}

/** What there is to say about how an edit was understood. */
export function notesOn({ plan, drift }: PlannedFile): readonly string[] {
  const tiers = new Set(plan.changes.map(({ tier }) => tier));
  return [
    ...(drift ? [`changed since you last saw it, at ${drift.at}; your edit still fits`] : []),
    ...[...tiers].flatMap((tier) => tierNotes[tier] ?? []),
    ...plan.notes,
  ];
}

/** What was overlooked in finding, in plain words; where nothing is said the plan's own notes say more. */
const tierNotes: Readonly<Partial<Record<TierName, string>>> = {
  "line-ends": "found with other line ends; the file's were kept",
  "trailing-blanks": "found with other blanks at line ends",
  indentation: "found with other indentation; the new lines were fitted",
  glyphs: "found with other quotes, dashes or blanks; the file's were kept",
};
