import { textOfName } from "./names.ts";
import { type GitContext, outputOfGit, type Repository } from "./run-git.ts";

/** A commit, and what it changes. */
export interface CommitSummary {
  readonly hash: string;
  readonly short: string;
  readonly subject: string;
  readonly files: readonly CommittedFile[];
}

interface CommittedFile {
  readonly path: string;
  readonly from?: string;
  /** Undefined for a binary file. */
  readonly additions: number | undefined;
  readonly deletions: number | undefined;
}

/** The last commit; of a merge what it changes on this branch. */
export async function lastCommit(repository: Repository, context: GitContext): Promise<CommitSummary> {
  const words = ["log", "-1", "--no-show-signature", "--format=%H%x00%h%x00%P%x00%s"];
  const [hash = "", short = "", parents = "", subject = ""] = (await outputOfGit(repository, words, context))
    .toString()
    .replace(/\n$/, "")
    .split("\0");
  const [parent] = parents.split(" ");
  const compared = parent ? [parent, hash] : ["--root", "--no-commit-id", hash];
  const counting = ["diff-tree", "-r", "-z", "--numstat", "--find-renames", ...compared];
  const counted = (await outputOfGit(repository, counting, context)).toString("latin1");
  return { hash, short, subject, files: readCounts(counted, repository.prefix) };
}

/** "3 TAB 1 TAB path NUL", or without a path when two follow it: from and to. */
function readCounts(output: string, prefix: string): readonly CommittedFile[] {
  const fields = output.split("\0");
  const files: CommittedFile[] = [];
  for (let at = 0; at + 1 < fields.length; at += 1) {
    const [, added = "", deleted = "", name = ""] = /^(\S+)\t(\S+)\t(.*)$/s.exec(fields[at]!) ?? [];
    const isMoved = name === "";
    const counts = { additions: numberIn(added), deletions: numberIn(deleted) };
    const path = prefix + textOfName(isMoved ? fields[at + 2]! : name);
    files.push(
      isMoved ? { path, from: prefix + textOfName(fields[at + 1]!), ...counts } : { path, ...counts },
    );
    if (isMoved) at += 2;
  }
  return files;
}

function numberIn(text: string): number | undefined {
  return text === "-" ? undefined : Number(text);
}
