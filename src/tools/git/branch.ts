import { posix } from "node:path";
import * as z from "zod/mini";
import type { ToolAccess } from "../../contract/access.ts";
import { ToolError } from "../../contract/error.ts";
import type { Tool, ToolContext, ToolOutput } from "../../contract/tool.ts";
import {
  type Branch,
  commitOfBranch,
  commitsOf,
  deleteBranch,
  listBranches,
  noBranchToDelete,
  noSuchBranch,
  requireBranchName,
} from "../../git/branches.ts";
import { findRepository, findWritable } from "../../git/find-repository.ts";
import { hooksFor } from "../../git/hooks.ts";
import { resolveCommit } from "../../git/revisions.ts";
import { type Repository, runGit } from "../../git/run-git.ts";
import { switchBranch } from "../../git/switch-branch.ts";
import { writeGit } from "../../git/write-git.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { flag, string } from "../fields.ts";

export type GitBranchData =
  | ({ readonly action: "listed" } & BranchList)
  | {
      readonly action: "created" | "switched" | "created and switched" | "deleted";
      readonly name: string;
      /** The commit of the branch, or of the deleted branch. */
      readonly commit: string;
      /** The number of files that changed in the working tree. */
      readonly files: number;
      readonly skippedHooks: readonly string[];
      readonly notes: readonly string[];
    };

const input = z.strictObject({
  name: z.optional(z.string()),
  from: string("Start revision of a new branch."),
  switch: z.optional(z.boolean()),
  delete: flag("Delete it if merged."),
  force: flag("Delete even if it is not merged."),
  path: string("Folder of another repository."),
});

export type GitBranchInput = z.infer<typeof input>;

export const gitBranch: Tool<GitBranchInput, GitBranchData> = {
  name: "git.branch",
  description: "List branches, or create, `switch` to or `delete` one. Never overwrites uncommitted changes.",
  risk: "destructive",
  startsPrograms: true,
  input,
  limits: { maxChars: 10_000, keep: "head" },
  timeoutMs: 600_000,
  accesses: (input) => accessesOf(input),

  preview: async (input) => previewOf(input),

  async run(input, context) {
    const { name, path = "." } = input;
    refuseContradictions(input);
    if (name === undefined) return list((await findRepository(path, context)).repository);
    const { repository } = await findWritable(path, context);
    requireBranchName(name);
    if (input.delete) return remove(name, input.force ?? false, repository, context);
    return input.switch
      ? change(name, input.from, repository, context)
      : create(name, input.from ?? "HEAD", repository, context);
  },
};

function accessesOf({ name, path = ".", ...input }: GitBranchInput): readonly ToolAccess[] {
  const own = (...names: string[]) => posix.join(path, ".git", ...names);
  const byGit = (...names: string[]): ToolAccess => ({ kind: "write", path: own(...names), by: "git" });
  if (name === undefined) return [{ kind: "read", path }];
  // Such a name is not a branch name, and must not name another file of git.
  const reference = /(?:^|\/)\.|\0/.test(name) ? "refs/heads" : posix.join("refs/heads", name);
  if (input.delete && input.force) return [{ kind: "delete", path: own(reference) }];
  if (!input.switch) return [byGit(reference)];
  return [{ kind: "write", path }, byGit("HEAD"), byGit("index"), byGit(reference)];
}

function previewOf({ name, from = "HEAD", force, ...input }: GitBranchInput): string {
  if (name === undefined) return "Would list branches.";
  if (input.delete)
    return `Would delete the branch ${name}${force ? ", also where its commits are not merged" : ""}.`;
  return input.switch
    ? `Would switch to the branch ${name}, which changes files.`
    : `Would create the branch ${name} from ${from}.`;
}

function refuseContradictions({ name, from, force, ...input }: GitBranchInput): void {
  const creating = from !== undefined ? "from" : input.switch ? "switch" : undefined;
  const changing = creating ?? (input.delete ? "delete" : undefined);
  if (name === undefined && changing !== undefined)
    throw new ToolError("invalid-input", `\`${changing}\` needs the \`name\` of a branch`, {
      hint: `Give \`name\`. To list the branches, leave out \`${changing}\`.`,
    });
  if (input.delete && creating !== undefined)
    throw new ToolError("invalid-input", `\`delete\` cannot be combined with \`${creating}\``, {
      hint: `Leave out \`delete\` or \`${creating}\`.`,
    });
  if (force && !input.delete)
    throw new ToolError("invalid-input", "`force` has no effect without `delete`", {
      hint: "Leave out `force`.",
    });
}

async function list(repository: Repository): Promise<ToolOutput<GitBranchData>> {
  const listed = await listBranches(repository, maxListed + 1);
  const branches = listed.slice(0, maxListed);
  const current =
    branches.find(({ isCurrent }) => isCurrent)?.name ?? (await currentBranch(repository)) ?? null;
  const isCut = listed.length > maxListed;
  const found = { current, branches, isCut };
  return { data: { action: "listed", ...found }, text: showBranches(found) };
}

const maxListed = 200;

/** Returns the current branch, or undefined when HEAD is detached. */
async function currentBranch(repository: Repository): Promise<string | undefined> {
  const { stdout, code } = await runGit(repository, ["symbolic-ref", "--quiet", "--short", "HEAD"]);
  return code === 0 ? stdout.toString().trim() : undefined;
}

async function create(
  name: string,
  from: string,
  repository: Repository,
  context: ToolContext,
): Promise<ToolOutput<GitBranchData>> {
  const existing = await commitOfBranch(name, repository);
  if (existing !== undefined) throw alreadyExists(name, existing);
  const commit = await resolveCommit(from, repository);
  const hooks = await hooksFor("branch", repository);
  await writeGit(repository, ["branch", "--no-track", name, commit], {
    ...hooks.options,
    leavesFiles: hooks.run.length === 0,
  });
  context.uncovered(`the branch ${name}: git.branch with \`delete\` removes it`);
  const notes = hooks.note === undefined ? [] : [hooks.note];
  return {
    data: { action: "created", name, commit, files: 0, skippedHooks: hooks.skipped, notes },
    text: [`Created the branch ${name} at ${short(commit)} (${from}). It is not current.`, ...notes].join(
      "\n",
    ),
  };
}

async function change(
  name: string,
  from: string | undefined,
  repository: Repository,
  context: ToolContext,
): Promise<ToolOutput<GitBranchData>> {
  const isNew = from !== undefined;
  const [[head, existing], branch] = await Promise.all([
    commitsOf(["HEAD", `refs/heads/${name}`], repository),
    currentBranch(repository),
  ]);
  if (isNew && existing !== undefined) throw alreadyExists(name, existing);
  const commit = isNew ? await resolveCommit(from, repository) : existing;
  if (commit === undefined) throw await noSuchBranch(name, repository);
  context.progress(`Switching to ${name}`);
  const { files, hooks, remarks } = await switchBranch({ name, commit, isNew }, head, repository);
  const back = `git.branch with \`switch\` and \`name\`: "${branch ?? head ?? "HEAD"}" goes back`;
  context.uncovered(`the current branch: files are restored, but HEAD stays on ${name}; ${back}`);
  const notes = [...(hooks.note === undefined ? [] : [hooks.note]), ...remarks];
  const action = isNew ? "created and switched" : "switched";
  const did = isNew
    ? `Created ${name} at ${short(commit)} (${from}) and switched to it`
    : `Switched to ${name} at ${short(commit)}`;
  return {
    data: { action, name, commit, files, skippedHooks: hooks.skipped, notes },
    text: [`${did}: ${counted(files, "file")} changed.`, ...notes].join("\n"),
  };
}

async function remove(
  name: string,
  force: boolean,
  repository: Repository,
  context: ToolContext,
): Promise<ToolOutput<GitBranchData>> {
  const commit = await commitOfBranch(name, repository);
  if (commit === undefined) throw await noBranchToDelete(name, repository);
  const { hooks, notes } = await deleteBranch(name, force, repository);
  const back = `git.branch with \`name\`: "${name}" and \`from\`: "${short(commit)}" restores it`;
  context.uncovered(`the branch ${name}: ${back}`);
  return {
    data: { action: "deleted", name, commit, files: 0, skippedHooks: hooks.skipped, notes },
    text: [`Deleted the branch ${name}, which was at ${short(commit)}; ${back}.`, ...notes].join("\n"),
  };
}

function alreadyExists(name: string, commit: string): ToolError {
  return new ToolError("already-exists", `The branch ${name} already exists, at ${short(commit)}`, {
    hint: "Choose another name, or use `switch` without `from` to switch to it.",
  });
}

function short(commit: string): string {
  return commit.slice(0, 10);
}

interface BranchList {
  /** The current branch; null when HEAD is detached. */
  readonly current: string | null;
  readonly branches: readonly Branch[];
  readonly isCut: boolean;
}

/** Shows a line for each branch: "* main 1a2b3c4 2026-01-31 [origin/main: ahead 1, behind 0] Subject". */
function showBranches({ current, branches, isCut }: BranchList): string {
  const isUnborn = current !== null && !isCut && !branches.some(({ isCurrent }) => isCurrent);
  return [
    ...(current === null ? ["HEAD is detached: no branch is current."] : []),
    ...(isUnborn ? [`* ${current} (no commits yet)`] : []),
    ...branches.map(showBranch),
    ...(isCut
      ? [`There are more than ${branches.length} branches. To list all, run: git branch --list`]
      : []),
  ].join("\n");
}

function showBranch({ name, isCurrent, commit, subject, date, upstream, ahead, behind }: Branch): string {
  const distance = ahead === null ? "gone" : `ahead ${ahead}, behind ${behind}`;
  const tracked = upstream === null ? "" : ` [${upstream}: ${distance}]`;
  return printableLine(
    `${isCurrent ? "*" : " "} ${name} ${commit} ${date.slice(0, 10)}${tracked} ${subject}`,
  );
}
