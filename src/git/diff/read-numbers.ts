import { pathspecs } from "../paths.ts";
import { type GitContext, type GitOptions, outputOfGit, type Repository } from "../run-git.ts";
import type { DiffFile, DiffStatus } from "./diff-reader.ts";
import { diffOptions } from "./read-diff.ts";

/** What differs and how much, without the text. `words`: "diff" or "show", and of what. */
export async function readNumbers(
  words: readonly string[],
  paths: readonly string[],
  repository: Repository,
  context: GitContext,
  options: GitOptions = {},
): Promise<readonly DiffFile[]> {
  const [command = "", ...rest] = words;
  const args = [command, ...diffOptions(repository), "--raw", "--numstat", "-z", ...rest];
  const output = await outputOfGit(repository, [...args, ...pathspecs(repository, paths)], context, options);
  return parseNumbers(output.toString(), repository.prefix);
}

/** First a record with the status of each file, then one with its numbers; a file that was renamed has two names in each. */
function parseNumbers(output: string, prefix: string): readonly DiffFile[] {
  const files = new Map<string, DiffFile>();
  const fields = output.split("\0");
  let at = 0;
  const next = () => prefix + (fields[at++] ?? "");
  while (at < fields.length) {
    const field = fields[at++]!.replace(/^\n/, "");
    const [, modes = "", letter] = /^:+((?:[0-7]+ )+)(?:[0-9a-f.]+ )+([A-Z])/.exec(field) ?? [];
    const [, additions, deletions, name] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(field) ?? [];
    if (letter !== undefined) {
      const from = letter === "R" || letter === "C" ? next() : undefined;
      const path = next();
      if (files.get(path)?.status === "unmerged") continue;
      files.set(path, {
        path,
        status: statuses[letter] ?? (new Set(modes.trim().split(" ")).size > 1 ? "mode changed" : "modified"),
        ...(from !== undefined && { from }),
        additions: 0,
        deletions: 0,
        isBinary: false,
        patch: "",
        isCut: false,
      });
    } else if (name !== undefined) {
      if (name === "") next();
      const path = name === "" ? next() : prefix + name;
      const file = files.get(path);
      if (file === undefined) continue;
      const isBinary = additions === "-";
      files.set(path, {
        ...file,
        isBinary,
        ...(!isBinary && { additions: Number(additions), deletions: Number(deletions) }),
        ...((isBinary || additions !== "0" || deletions !== "0") &&
          file.status === "mode changed" && { status: "modified" }),
      });
    }
  }
  // Of the others only the time has changed.
  return [...files.values()].filter(
    ({ status, additions, deletions, isBinary }) =>
      status !== "modified" || isBinary || additions > 0 || deletions > 0,
  );
}

const statuses: Readonly<Record<string, DiffStatus>> = {
  A: "added",
  D: "deleted",
  R: "renamed",
  C: "copied",
  U: "unmerged",
};
