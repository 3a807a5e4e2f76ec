import type { Change } from "../../git/parse-status.ts";
import type { Operation } from "../../git/status.ts";
import { counted } from "../../lib/counted.ts";
import { showPath } from "../../lib/show-path.ts";
import type { GitStatusData } from "./status.ts";

/** A status in few words. */
export function describeStatus(data: GitStatusData): string {
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
    ...lists.flatMap(([title, lines]) => (lines.length === 0 ? [] : [`${title}:`, ...lines.map(indented)])),
    ...(data.clean ? ["Nothing is changed: the working tree is clean."] : []),
    ...notes.map((note) => `[${note}]`),
  ].join("\n");
}

/** "On main at 1a2b3c4, 2 commits ahead of origin/main." */
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
  merge: "A merge is under way: settle what is unmerged and commit, or `git merge --abort`.",
  rebase: "A rebase is under way: `git rebase --continue`, `--skip` or `--abort`.",
  "cherry-pick": "A cherry-pick is under way: `git cherry-pick --continue`, `--skip` or `--abort`.",
  revert: "A revert is under way: `git revert --continue`, `--skip` or `--abort`.",
  bisect: "A bisect is under way: `git bisect reset` ends it.",
};

function describeChange({ path, change, from, submodule }: Change): string {
  const name = from === undefined ? showPath(path) : `${showPath(from)} -> ${showPath(path)}`;
  const inside = submodule === undefined ? "" : ` (submodule: ${submodule.join(", ") || "changed"})`;
  return `${change}: ${name}${inside}`;
}

function indented(line: string): string {
  return `  ${line}`;
}
