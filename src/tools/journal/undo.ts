import * as z from "zod/mini";
import type { Selection, UndoneChanges, UndoOptions } from "../../contract/history.ts";
import type { Tool, ToolContext } from "../../contract/tool.ts";
import { canRedo, describeUndone } from "../../lib/text/describe-undone.ts";
import { refuseFault } from "../edit/replace-fields.ts";
import { flag } from "../fields.ts";
import { faultInSelection, selectionFields, toSelection } from "./selection-fields.ts";

const fields = z.strictObject({
  ...selectionFields,
  redo: flag("Revert the latest undo."),
  paths: z.optional(z.array(z.string()).check(z.maxLength(1000), z.describe("Only these."))),
  hunk: z.optional(z.int().check(z.minimum(1), z.describe("Only this hunk (journal.diff numbers them)."))),
  merge: flag("Merge into files that changed since."),
  skip_changed: flag("Skip files that changed since."),
  dry_run: flag("Only show it."),
});

export type JournalUndoInput = z.infer<typeof fields>;

export const journalUndo: Tool<JournalUndoInput, UndoneChanges> = {
  name: "journal.undo",
  description:
    "Undo file changes of earlier calls, including shell commands. Default: the latest call that changed files. Never overwrites later changes by others.",
  risk: "write",
  input: fields.check(
    refuseFault((input: JournalUndoInput) => faultInSelection(input, [["redo", input.redo]])),
  ),
  limits: { maxChars: 20_000, keep: "both" },
  // Undoing a command may restore many files.
  timeoutMs: 600_000,
  accesses: ({ dry_run }) => [{ kind: dry_run ? "read" : "write", path: "." }],

  preview: async (input, { history, signal }) => {
    const undone = await history.undo(selectionOf(input), { ...optionsOf(input), dryRun: true, signal });
    return describeUndone(undone, { ...input, dry_run: true });
  },

  async run(input, context) {
    const { history, signal } = context;
    const done = await history.undo(selectionOf(input), { ...optionsOf(input), signal });
    const undone = await withCommits(done, input, context);
    const hint = canRedo(undone, input) ? "\nTo revert this undo, use journal.undo with `redo: true`." : "";
    return { data: undone, text: `${describeUndone(undone, input)}${hint}` };
  },
};

/** Names the commits that contain what is undone: an undo changes files, not the history of git. */
async function withCommits(
  { since, ...undone }: UndoneChanges,
  { dry_run, redo }: JournalUndoInput,
  context: ToolContext,
): Promise<UndoneChanges> {
  const { files } = undone;
  if (since === undefined || files.length === 0) return undone;
  const { commitsSince } = await import("../../git/commits-since.ts");
  const paths = files.map(({ path }) => path);
  const found = await commitsSince({ since, paths, isDone: !dry_run }, context);
  if (found.length === 0) return undone;
  const commits = found.map(({ hash, subject }) => ({ hash, subject }));
  const what = redo ? "Redo" : "Undo";
  const described = commits.map(
    ({ hash, subject }) =>
      `Commit ${hash.slice(0, 7)} ${JSON.stringify(subject)} was made since then. ${what} changes the files, not the commit.`,
  );
  return { ...undone, commits, notes: [...undone.notes, ...described] };
}

function optionsOf({ paths = [], hunk, merge, skip_changed, dry_run }: JournalUndoInput): UndoOptions {
  return {
    paths: paths.length > 0 ? paths : undefined,
    hunk: hunk || undefined,
    merge: merge ?? false,
    skipChanged: skip_changed ?? false,
    dryRun: dry_run ?? false,
  };
}

function selectionOf(input: JournalUndoInput): Selection {
  if (input.redo) return { kind: "undo" };
  return toSelection(input) ?? { kind: "last", count: 1 };
}
