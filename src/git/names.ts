import { type Change, parseStatus, type Status } from "./parse-status.ts";
import { type GitContext, outputOfGit, type Repository } from "./run-git.ts";

/**
 * Names of files are bytes, not always UTF-8. Whoever gives them back to git keeps them with a character for each byte
 * (Latin-1), and makes text of them to judge and to show them.
 */
export function textOfName(name: string): string {
  return Buffer.from(name, "latin1").toString();
}

/** What has changed, by names with a character for each byte; of these literal paths, as git names them, or all. */
export async function statusByNames(
  repository: Repository,
  context: GitContext,
  options: {
    readonly untracked: "all" | "no";
    readonly renames: boolean;
    readonly paths?: readonly string[];
  },
): Promise<Status> {
  const { untracked, renames, paths = [] } = options;
  const limited = paths.includes("") || paths.length === 0 ? [] : ["--", ...paths];
  const words = [
    "status",
    "--porcelain=v2",
    "-z",
    "--branch",
    `--untracked-files=${untracked}`,
    "--ignore-submodules=dirty",
    renames ? "--find-renames" : "--no-renames",
    ...limited,
  ];
  return parseStatus((await outputOfGit(repository, words, context)).toString("latin1"));
}

/** Changes as programs and people see them, with paths of the workspace. */
export function shownChanges(changes: readonly Change[], { prefix }: Repository): readonly Change[] {
  return changes.map((change) => ({
    ...change,
    path: prefix + textOfName(change.path),
    ...(change.from !== undefined && { from: prefix + textOfName(change.from) }),
  }));
}
