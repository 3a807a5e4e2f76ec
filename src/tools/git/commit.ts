import { posix } from "node:path";
import * as z from "zod/mini";
import { ToolError } from "../../contract/error.ts";
import type { Tool } from "../../contract/tool.ts";
import { type CommitSummary, type Committed, commit } from "../../git/commit.ts";
import { findWritable } from "../../git/find-repository.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine, showPath } from "../../lib/text/printable.ts";
import { string } from "../fields.ts";

export interface GitCommitData extends CommitSummary {
  /** The current branch; null when HEAD is detached. */
  readonly branch: string | null;
  readonly signed: boolean;
  /** The hooks that git ran. */
  readonly hooks: readonly string[];
  readonly said: string;
  /** The hooks that exist but were not run. */
  readonly skippedHooks: readonly string[];
  readonly notes: readonly string[];
}

const input = z.strictObject({
  message: z.optional(z.string().check(z.maxLength(100_000), z.regex(/^[^\0]*$/))),
  amend: z.optional(z.boolean()),
  path: string("Folder of another repository."),
});

export const gitCommit: Tool<z.infer<typeof input>, GitCommitData> = {
  name: "git.commit",
  description: "Commit what is staged (git.stage). `amend` replaces the last commit unless it is published.",
  risk: "write",
  startsPrograms: true,
  input,
  limits: { maxChars: 10_000, keep: "head" },
  timeoutMs: 600_000,
  accesses: ({ path = "." }) =>
    ["index", "HEAD", "refs/heads"].map((name) => ({
      kind: "write",
      path: posix.join(path, ".git", name),
      by: "git",
    })),

  preview: async ({ message, amend }) =>
    `Would ${amend ? "replace the last commit by one with what is staged" : "commit what is staged"}` +
    (message === undefined ? "; its message stays." : `, with this message:\n${message}`),

  async run({ message, amend = false, path = "." }, context) {
    if (message === undefined ? !amend : message.trim() === "")
      throw new ToolError("invalid-input", "A commit needs a message", {
        hint: "Give `message`: one line that describes the change.",
      });
    const { repository } = await findWritable(path, context);
    context.progress("Committing");
    const done = await commit({ message, amend }, repository, (text) => context.output("stderr", text));
    const { summary } = done;
    const back = undoCommand(done, amend);
    context.uncovered(`the commit ${summary.short}: ${back} undoes it and keeps its changes staged`);
    const data: GitCommitData = {
      ...summary,
      branch: done.branch ?? null,
      signed: done.isSigned,
      hooks: done.hooks.run,
      said: done.output,
      skippedHooks: done.hooks.skipped,
      notes: done.notes,
    };
    return { data, text: describe(data, { amend, back }) };
  },
};

function undoCommand({ before }: Committed, amend: boolean): string {
  if (before === undefined) return "`git update-ref -d HEAD`";
  return amend ? `\`git reset --soft ${before.slice(0, 12)}\`` : "`git reset --soft HEAD~1`";
}

function describe(
  { short, branch, subject, files, said, notes }: GitCommitData,
  { amend, back }: { readonly amend: boolean; readonly back: string },
): string {
  const sum = (side: "additions" | "deletions") => files.reduce((all, file) => all + (file[side] ?? 0), 0);
  return [
    printableLine(
      `${amend ? "Amended" : "Committed"} ${short} on ${branch ?? "no branch (HEAD is detached)"}: ${subject}`,
    ),
    `${counted(files.length, "file")} changed, +${sum("additions")} -${sum("deletions")}`,
    ...files.map(
      ({ path, from, additions, deletions }) =>
        `  ${from === undefined ? "" : `${showPath(from)} → `}${showPath(path)} ` +
        (additions === undefined ? "(binary)" : `+${additions} -${deletions}`),
    ),
    ...(said.trim() === "" ? [] : [`Hook output:\n${said.trimEnd()}`]),
    ...notes,
    `To undo: ${back}.`,
  ].join("\n");
}
