import { type GitContext, outputOfGit, type Repository } from "./run-git.ts";

/** What a commit or tree has under a name. */
export interface TreeEntry {
  /** As git names it: from the top, or from the tree that was read. */
  readonly path: string;
  readonly kind: "file" | "executable" | "link" | "directory" | "submodule";
  readonly hash: string;
  /** Of a file or link. */
  readonly bytes?: number;
}

/** The entry of a commit at one of git's paths; undefined if there is none. */
export async function readEntry(
  commit: string,
  path: string,
  repository: Repository,
  context: GitContext,
): Promise<TreeEntry | undefined> {
  const args = ["ls-tree", "-z", "-l", "--full-tree", commit, "--", path];
  const entries = parseTree((await outputOfGit(repository, args, context)).toString());
  return entries.find((entry) => entry.path === path);
}

/** What is in a tree, by its hash or that of a commit. */
export async function readTree(
  tree: string,
  repository: Repository,
  context: GitContext,
): Promise<readonly TreeEntry[]> {
  const args = ["ls-tree", "-z", "-l", "--full-tree", tree];
  return parseTree((await outputOfGit(repository, args, context)).toString());
}

function parseTree(output: string): readonly TreeEntry[] {
  return output.split("\0").flatMap((record) => {
    const [, mode = "", hash, size, path] =
      /^(\d{6}) [a-z]+ ([0-9a-f]{40,64}) +(\d+|-)\t(.*)$/s.exec(record) ?? [];
    if (hash === undefined || path === undefined) return [];
    const bytes = size === "-" ? {} : { bytes: Number(size) };
    return [{ path, kind: kinds[mode] ?? "file", hash, ...bytes }];
  });
}

const kinds: Readonly<Record<string, TreeEntry["kind"]>> = {
  "100755": "executable",
  "120000": "link",
  "040000": "directory",
  "160000": "submodule",
};
