import { type Change, changes, parseStatus, type Status } from "./parse-status.ts";
import { fixedDiffOptions, outputOfGit, type Repository } from "./run-git.ts";

/**
 * Converts a name to text for rules and output. File names are bytes, not always UTF-8: names that are passed back to git
 * are held as Latin-1, one character per byte.
 */
export function textOfName(name: string): string {
  return Buffer.from(name, "latin1").toString();
}

/** Reads the changes at these paths of git, or all, with names in Latin-1. */
export async function statusByNames(
  repository: Repository,
  options: {
    readonly untracked: "all" | "no";
    readonly renames: boolean;
    readonly paths?: readonly string[];
  },
): Promise<Status> {
  const { untracked, renames, paths = [] } = options;
  const limited = paths.includes("") || paths.length === 0 ? [] : ["--", ...paths];
  const args = [...statusArguments(untracked, renames ? "--find-renames" : "--no-renames"), ...limited];
  return parseStatus((await outputOfGit(repository, args)).toString("latin1"));
}

/** Leaves out the content of submodules, where git would use their own settings: see `submoduleStates`. */
export function statusArguments(untracked: "all" | "no" | "normal", renames: string): readonly string[] {
  const format = ["--porcelain=v2", "-z", "--branch"];
  return ["status", ...format, `--untracked-files=${untracked}`, "--ignore-submodules=dirty", renames];
}

/** Reads the changes of the next commit, with names in Latin-1. Does not read the working tree. */
export async function stagedByNames(repository: Repository): Promise<readonly Change[]> {
  const args = ["diff", "--cached", ...fixedDiffOptions, "--raw", "-z", "--find-renames", "--no-relative"];
  const fields = (await outputOfGit(repository, args)).toString("latin1").split("\0");
  const staged: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, before, after, letter = ""] = /^:(\d+) (\d+) \S+ \S+ ([A-Z])/.exec(fields[at]!) ?? [];
    const change = changes[letter];
    const from = letter === "R" || letter === "C" ? fields[at + 1]! : undefined;
    if (from !== undefined) at += 1;
    const isSubmodule = before === "160000" || after === "160000";
    if (change !== undefined)
      staged.push({ path: fields[at + 1]!, change, from, submodule: isSubmodule ? [] : undefined });
  }
  return staged;
}

export function shownChanges(found: readonly Change[], { prefix }: Repository): readonly Change[] {
  return found.map((change) => ({
    ...change,
    path: prefix + textOfName(change.path),
    from: change.from === undefined ? undefined : prefix + textOfName(change.from),
  }));
}
