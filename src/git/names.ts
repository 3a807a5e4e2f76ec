import { type Change, changes, parseStatus, type Status } from "./parse-status.ts";
import { type GitContext, heldDiffOptions, outputOfGit, type Repository } from "./run-git.ts";

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

/** What the next commit will change, by the same names. No file of the working tree is looked at. */
export async function stagedByNames(repository: Repository, context: GitContext): Promise<readonly Change[]> {
  const words = ["diff", "--cached", ...heldDiffOptions, "--raw", "-z", "--find-renames", "--no-relative"];
  const fields = (await outputOfGit(repository, words, context)).toString("latin1").split("\0");
  const staged: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, before, after, letter = ""] = /^:(\d+) (\d+) \S+ \S+ ([A-Z])/.exec(fields[at]!) ?? [];
    const change = changes[letter];
    const from = letter === "R" || letter === "C" ? fields[at + 1]! : undefined;
    if (from !== undefined) at += 1;
    const isSubmodule = before === "160000" || after === "160000";
    if (change !== undefined)
      staged.push({
        path: fields[at + 1]!,
        change,
        ...(from !== undefined && { from }),
        ...(isSubmodule && { submodule: [] }),
      });
  }
  return staged;
}

/** Changes as programs and people see them, with paths of the workspace. */
export function shownChanges(found: readonly Change[], { prefix }: Repository): readonly Change[] {
  return found.map((change) => ({
    ...change,
    path: prefix + textOfName(change.path),
    ...(change.from !== undefined && { from: prefix + textOfName(change.from) }),
  }));
}
