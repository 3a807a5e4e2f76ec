import { ToolError } from "../contract/error.ts";
import { undefinedUnlessExhausted } from "../lib/exhaustion.ts";
import { findRepository } from "./find-repository.ts";
import { type Commit, readLog } from "./log.ts";
import { pathspecs } from "./paths.ts";
import { fixedDiffOptions, type GitContext, type Repository, runGit } from "./run-git.ts";

interface Restored {
  /** Milliseconds since 1970: when the first of the changes was made. */
  readonly since: number;
  /** The files that an undo restores, relative to the workspace. */
  readonly paths: readonly string[];
  /** Whether the files are already restored. */
  readonly isDone: boolean;
}

/** Returns the latest commits of the current branch that contain changes of these files made since then. */
export async function commitsSince(restored: Restored, context: GitContext): Promise<readonly Commit[]> {
  try {
    if (await hasNoCommitSince(restored.since, context)) return [];
    const { repository } = await findRepository(".", context);
    return await findCommits(restored, repository);
  } catch (error) {
    // There is no repository, or no commit yet, or git is not installed: then nothing was committed.
    if (!(error instanceof ToolError) || error.code === "cancelled" || error.code === "internal") throw error;
    return [];
  }
}

/**
 * Returns whether there is no repository, or HEAD has not moved since then by the log that git writes of its moves.
 * Starting git only to find no commit would take longer than most undos.
 */
async function hasNoCommitSince(since: number, { environment }: GitContext): Promise<boolean> {
  const infoOf = (path: string) =>
    environment.info(path, { followLinks: false }).catch(undefinedUnlessExhausted);
  if ((await infoOf(".git")) === undefined) {
    const outside = await environment.ignoreFilesOutside?.();
    return outside !== undefined && !outside.some(({ name }) => name === "exclude");
  }
  const moves = await infoOf(".git/logs/HEAD");
  return moves?.kind === "file" && moves.modifiedMs < since;
}

async function findCommits(
  { since, paths, isDone }: Restored,
  repository: Repository,
): Promise<readonly Commit[]> {
  const files = paths.length > maxPaths ? [""] : paths.map((path) => `${repository.below}${path}`);
  const specs = pathspecs(repository, files);
  const second = Math.floor(since / 1000);
  const from = (time: number) =>
    readLog(
      { revision: "HEAD", limit: maxCommits, selecting: [`--since=@${time}`], pathspecs: specs },
      repository,
    );
  const near = await from(second);
  if (near.length === 0) return [];
  const later = await from(second + 1);
  const unsure = near.slice(later.length);
  const isAfter = await Promise.all(unsure.map((commit) => isMadeAfter(commit)));
  return [...later, ...unsure.filter((_, at) => isAfter[at])];

  /**
   * Git counts in seconds. A commit of the same second came after the change if it has the files as they are before the
   * undo, and before the change if it has them as they are after it.
   */
  async function isMadeAfter({ hash }: Commit): Promise<boolean> {
    const words = ["diff", ...fixedDiffOptions, "--exit-code", "--numstat", hash, ...specs];
    // Compares contents, not only the times of files.
    const { code } = await runGit(repository, words, { settings: { "diff.autoRefreshIndex": "true" } });
    return (code === 1) === isDone;
  }
}

const maxPaths = 500;
const maxCommits = 5;
