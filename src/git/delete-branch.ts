import { ToolError } from "../contract/error.ts";
import { explainFailure } from "./explain-failure.ts";
import { type Hooks, hooksFor } from "./hooks.ts";
import type { GitContext, Repository } from "./run-git.ts";
import { tryWritingGit } from "./write-git.ts";

/** Deletes a branch that is there; `denied` where commits would be lost and it is not forced. */
export async function deleteBranch(
  name: string,
  force: boolean,
  repository: Repository,
  context: GitContext,
): Promise<Hooks> {
  const hooks = await hooksFor("branch", repository, context);
  // Git removes its settings for the branch as well, which no sandbox lets anybody write.
  const confinement = hooks.run.length > 0 ? "call" : "ours";
  const words = ["branch", "--quiet", force ? "-D" : "-d", name];
  const { code, stderr } = await tryWritingGit(repository, words, context, { ...hooks.options, confinement });
  if (code === 0) return hooks;
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
