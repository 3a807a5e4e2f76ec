import * as z from "zod/mini";
import type { Tool } from "../../contract/tool.ts";
import { findRepository } from "../../git/find-repository.ts";
import type { Change, Status } from "../../git/parse-status.ts";
import { workspacePath } from "../../git/paths.ts";
import type { Repository } from "../../git/run-git.ts";
import { type Operation, type RepositoryState, readStatus } from "../../git/status.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { showPath } from "../../lib/text/printable.ts";

/** The status of a repository. Paths are relative to the workspace. */
export interface GitStatusData extends Status {
  /** The repository's folder: relative to the workspace, "." for the workspace itself, absolute if above it. */
  readonly repository: string;
  readonly inProgress: readonly Operation[];
  readonly clean: boolean;
  readonly notes: readonly string[];
}

const input = z.strictObject({
  path: z.optional(z.string()),
});

export const gitStatus: Tool<z.infer<typeof input>, GitStatusData> = {
  name: "git.status",
  description: "Show branch, upstream, staged, changed and untracked files. For the changes use git.diff.",
  risk: "read",
  input,
  limits: { maxChars: 20_000, maxLines: 400, keep: "head" },
  startsPrograms: true,
  timeoutMs: 120_000,
  accesses: ({ path = "." }) => [{ kind: "read", path }],

  async run({ path = "." }, context) {
    const { repository, path: inside } = await findRepository(path, context);
    const state = await readStatus(inside, repository);
    const data = dataOf(state, repository);
    return { data, text: describeStatus(data) };
  },
};

function dataOf(state: RepositoryState, repository: Repository): GitStatusData {
  const moved = <Entry extends { readonly path: string }>(entries: readonly Entry[]): readonly Entry[] =>
    entries.flatMap((entry) => {
      const path = workspacePath(repository, entry.path);
      return path === undefined ? [] : [{ ...entry, path }];
    });
  const changes = (entries: readonly Change[]): readonly Change[] =>
    moved(entries).map((change) =>
      // The old path of a file may be outside the workspace; then it is shown as git names it.
      change.from === undefined
        ? change
        : { ...change, from: workspacePath(repository, change.from) ?? change.from },
    );
  const staged = changes(state.staged);
  const unstaged = changes(state.unstaged);
  const unmerged = moved(state.unmerged);
  const untracked = state.untracked.flatMap((path) => workspacePath(repository, path) ?? []);
  return {
    repository: repository.below === "" ? repository.prefix.slice(0, -1) || "." : repository.top,
    branch: state.branch,
    inProgress: state.inProgress,
    clean: staged.length + unstaged.length + unmerged.length + untracked.length === 0,
    staged,
    unstaged,
    unmerged,
    untracked,
    notes: state.notes,
  };
}

function describeStatus(data: GitStatusData): string {
  const { staged, unstaged, unmerged, untracked, inProgress, notes } = data;
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ["Unmerged", unmerged.map(({ path, state }) => `${state}: ${showPath(path)}`)],
    ["Staged", staged.map(describeChange)],
    ["Not staged", unstaged.map(describeChange)],
    ["Untracked", untracked.map(showPath)],
  ];
  return [
    describeBranch(data),
    ...inProgress.map((operation) => underWay[operation]),
    ...lists.flatMap(([title, lines]) =>
      lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)],
    ),
    ...(data.clean ? ["Nothing has changed: the working tree is clean."] : []),
    ...notes.map((note) => `[${note}]`),
  ].join("\n");
}

/** Describes the branch: "On main at 1a2b3c4, 2 commits ahead of origin/main." */
function describeBranch({ branch, repository }: Pick<GitStatusData, "branch" | "repository">): string {
  const { name, commit } = branch;
  const where = repository === "." ? "" : ` in ${showPath(repository)}`;
  const at = commit === undefined ? ", no commits yet" : ` at ${commit.slice(0, 7)}`;
  const head = name === undefined ? "HEAD is detached" : `On ${showPath(name)}`;
  return `${head}${at}${where}${describeUpstream(branch)}.`;
}

function describeUpstream({ upstream, ahead, behind }: GitStatusData["branch"]): string {
  if (upstream === undefined) return "";
  if (ahead === undefined || behind === undefined) return `, its upstream ${upstream} is gone`;
  if (ahead === 0 && behind === 0) return `, up to date with ${upstream}`;
  if (behind === 0) return `, ${counted(ahead, "commit")} ahead of ${upstream}`;
  if (ahead === 0) return `, ${counted(behind, "commit")} behind ${upstream}`;
  return `, ${ahead} ahead of and ${behind} behind ${upstream}`;
}

const underWay: Readonly<Record<Operation, string>> = {
  merge: "A merge is in progress: resolve the conflicts and commit, or run `git merge --abort`.",
  rebase: "A rebase is in progress: `git rebase --continue`, `--skip` or `--abort`.",
  "cherry-pick": "A cherry-pick is in progress: `git cherry-pick --continue`, `--skip` or `--abort`.",
  revert: "A revert is in progress: `git revert --continue`, `--skip` or `--abort`.",
  bisect: "A bisect is in progress: `git bisect reset` ends it.",
};

function describeChange({ path, change, from, submodule }: Change): string {
  const name = from === undefined ? showPath(path) : `${showPath(from)} -> ${showPath(path)}`;
  const inside = submodule === undefined ? "" : ` (submodule: ${submodule.join(", ") || "changed"})`;
  return `${change}: ${name}${inside}`;
}
