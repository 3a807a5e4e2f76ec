import { ToolError } from "../contract/error.ts";
import { explainFailure } from "./explain-failure.ts";
import { type Hooks, hooksFor } from "./hooks.ts";
import type { GitContext, Repository } from "./run-git.ts";
import { settingsByOwner } from "./settings-by-owner.ts";
import { tryWritingGit } from "./write-git.ts";

export interface Deleted {
  readonly hooks: Hooks;
  readonly notes: readonly string[];
}

/** Deletes a branch that is there; `denied` where commits would be lost and it is not forced. */
export async function deleteBranch(
  name: string,
  force: boolean,
  repository: Repository,
  context: GitContext,
): Promise<Deleted> {
  const hooks = await hooksFor("branch", repository, context);
  const words = ["branch", "--quiet", force ? "-D" : "-d", name];
  const { code, stderr } = await tryWritingGit(repository, words, context, {
    ...hooks.options,
    leavesFiles: hooks.run.length === 0,
  });
  const notes = hooks.note === undefined ? [] : [hooks.note];
  // Git would remove its settings for the branch as well, which no sandbox lets anybody write.
  if (
    code === 0 &&
    /Update of config-file failed/.test(stderr) &&
    (await hasSettings(name, repository, context))
  )
    return { hooks, notes: [...notes, settingsStay(name)] };
  if (code === 0) return { hooks, notes };
  if (/not fully merged/.test(stderr))
    throw new ToolError("denied", `The branch ${name} has commits that are not merged`, {
      hint: "`git.log` with `revision` shows them. `force` deletes it all the same.",
    });
  const [, place] = /(?:checked out|used by worktree) at '(.+)'/.exec(stderr) ?? [];
  if (place !== undefined)
    throw new ToolError("unsupported", `The branch ${name} is the current one in ${place}`, {
      hint: "Switch to another one first.",
    });
  throw explainFailure(stderr, code);
}

async function hasSettings(name: string, repository: Repository, context: GitContext): Promise<boolean> {
  const settings = await settingsByOwner(repository, context);
  return settings.some(({ key, from }) => from === "repository" && key.startsWith(`branch.${name}.`));
}

function settingsStay(name: string): string {
  return `Its upstream stays in .git/config, for when it comes back: \`git config --remove-section branch.${name}\` removes it.`;
}
