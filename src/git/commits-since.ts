import { posix } from "node:path";
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

/**
 * Returns the latest commits that contain changes of these files made since then, of the current branch of each
 * repository: that of the workspace, and those in it.
 */
export async function commitsSince(restored: Restored, context: GitContext): Promise<readonly Commit[]> {
  const commits: Commit[] = [];
  for (const [top, paths] of await groupByTop(restored.paths, context)) {
    try {
      if (await hasNoCommitSince(restored.since, top, context)) continue;
      const { repository } = await findRepository(top === "" ? "." : top, context);
      commits.push(...(await findCommits({ ...restored, paths }, repository)));
    } catch (error) {
      // There is no repository, or no commit yet, or git is not installed: then nothing was committed.
      if (!(error instanceof ToolError) || error.code === "cancelled" || error.code === "internal")
        throw error;
    }
  }
  return commits;
}

/** Groups paths by the nearest folder with a repository, "" for the workspace. The paths become relative to it. */
async function groupByTop(
  paths: readonly string[],
  context: GitContext,
): Promise<ReadonlyMap<string, readonly string[]>> {
  // Files outside the workspace have absolute paths.
  const tops = new Map([".", "/"].map((folder) => [folder, Promise.resolve("")]));
  const topOf = (folder: string): Promise<string> => {
    const known = tops.get(folder);
    if (known) return known;
    const found = infoOf(`${folder}/.git`, context).then((info) =>
      info === undefined ? topOf(posix.dirname(folder)) : folder,
    );
    tops.set(folder, found);
    return found;
  };
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    const top = await topOf(posix.dirname(path));
    const group = groups.get(top) ?? [];
    group.push(top === "" ? path : path.slice(top.length + 1));
    groups.set(top, group);
  }
  return groups;
}

/**
 * Returns whether there is no repository, or HEAD has not moved since then by the log that git writes of its moves.
 * Starting git only to find no commit would take longer than most undos.
 */
async function hasNoCommitSince(since: number, top: string, context: GitContext): Promise<boolean> {
  if ((await infoOf(posix.join(top, ".git"), context)) === undefined) {
    const outside = await context.environment.ignoreFilesOutside?.();
    return outside !== undefined && !outside.some(({ name }) => name === "exclude");
  }
  const moves = await infoOf(posix.join(top, ".git/logs/HEAD"), context);
  return moves?.kind === "file" && moves.modifiedMs < since;
}

function infoOf(path: string, { environment }: GitContext) {
  return environment.info(path, { followLinks: false }).catch(undefinedUnlessExhausted);
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
    return (code === 1 || (await areUntracked())) === isDone;
  }

  /** Git's diff leaves out files that exist and are not tracked. */
  async function areUntracked(): Promise<boolean> {
    const { stdout } = await runGit(repository, ["ls-files", "--others", ...specs]);
    return stdout.length > 0;
  }
}

const maxPaths = 500;
const maxCommits = 5;
