import { parseStatus, type Status } from "./parse-status.ts";
import { pathspecs } from "./paths.ts";
import { type GitContext, type GitOptions, outputOfGit, type Repository } from "./run-git.ts";

/** What git says of the working tree, or of one of its paths; "" for all of it. */
export async function statusOf(
  path: string,
  repository: Repository,
  context: GitContext,
  options: GitOptions = {},
): Promise<Status> {
  const limited = pathspecs(repository, [path]);
  const output = await outputOfGit(repository, [...words, ...limited], context, options);
  return parseStatus(output.toString());
}

/** Git would look into submodules by their own settings: that is done by us, one by one. */
const words = [
  "status",
  "--porcelain=v2",
  "-z",
  "--branch",
  "--untracked-files=normal",
  "--ignore-submodules=dirty",
  "--find-renames",
];
