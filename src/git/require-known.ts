import { ToolError } from "../contract/error.ts";
import { pathspecs } from "./paths.ts";
import { type GitContext, outputOfGit, type Repository, runGit } from "./run-git.ts";

/** A path as git names it, and as the caller spelled it. */
interface NamedPath {
  readonly path: string;
  readonly given: string;
}

/** Throws `not-found` for a path that is neither in the working tree, nor in the index, nor in one of these commits or HEAD. */
export async function requireKnown(
  named: readonly NamedPath[],
  commits: readonly string[],
  repository: Repository,
  context: GitContext,
): Promise<void> {
  for (const { path, given } of named) {
    const missing = await whyMissing(given, context);
    if (missing === undefined) continue;
    const listing = ["ls-files", "-z", ...pathspecs(repository, [path])];
    if ((await outputOfGit(repository, listing, context)).length > 0) continue;
    if (!(await isCommitted(path, [...commits, "HEAD"], repository, context))) throw missing;
  }
}

async function whyMissing(given: string, { environment }: GitContext): Promise<ToolError | undefined> {
  try {
    await environment.info(given, { followLinks: false });
    return undefined;
  } catch (error) {
    if (error instanceof ToolError) return error.code === "not-found" ? error : undefined;
    throw error;
  }
}

async function isCommitted(
  path: string,
  commits: readonly string[],
  repository: Repository,
  context: GitContext,
): Promise<boolean> {
  for (const commit of commits) {
    const words = ["rev-parse", "--verify", "--quiet", `${commit}:${path}`];
    if ((await runGit(repository, words, context)).code === 0) return true;
  }
  return false;
}
