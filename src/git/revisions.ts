import { ToolError } from "../contract/error.ts";
import { nearest } from "../lib/text/nearest.ts";
import { pathspecs } from "./paths.ts";
import { type GitContext, outputOfGit, type Repository, runGit } from "./run-git.ts";

/** The object of a revision, by its hash, which no command can mistake for an option or a path. */
export interface Revision {
  readonly hash: string;
  readonly type: "commit" | "tag" | "tree" | "blob";
  readonly commit: string | undefined;
}

/** Resolves a revision. `not-found` suggests one with a similar name. */
export async function resolveRevision(revision: string, repository: Repository): Promise<Revision> {
  refuseUnfit(revision);
  const input = Buffer.from(`${revision}\n${revision}^{commit}\n`);
  const printed = await outputOfGit(repository, ["cat-file", "--batch-check"], { input });
  const [own = "", peeled = ""] = printed.toString().split("\n");
  const [, hash, type] = /^([0-9a-f]{40,64}) (commit|tag|tree|blob) \d+$/.exec(own) ?? [];
  if (hash === undefined) throw await unknownRevision(revision, own, repository);
  const commit = /^([0-9a-f]{40,64}) commit \d+$/.exec(peeled)?.[1];
  return {
    hash,
    type: type as Revision["type"],
    commit: commit ?? (type === "commit" ? hash : undefined),
  };
}

export async function resolveCommit(revision: string, repository: Repository): Promise<string> {
  const { commit, type } = await resolveRevision(revision, repository);
  if (commit !== undefined) return commit;
  throw new ToolError("invalid-input", `${revision} is a ${type}, not a commit`, {
    hint: "Give a branch, a tag or a commit.",
  });
}

/** Resolves a commit, or two with ".." or "..." between, to hashes. A missing side is HEAD. */
export async function resolveRange(range: string, repository: Repository): Promise<string> {
  const { from, dots, to } = splitRange(range);
  if (dots === undefined) return resolveCommit(range, repository);
  const sides = [from || "HEAD", to || "HEAD"];
  const hashes = await Promise.all(sides.map((side) => resolveCommit(side, repository)));
  return hashes.join(dots);
}

/** Splits a range at its dots. No name contains two dots, but braces may: `main@{2.days.ago}..HEAD`. */
function splitRange(range: string): { from: string; dots: ".." | "..." | undefined; to: string } {
  const isSearch = range.startsWith(":/");
  for (let at = 0, depth = 0; at < range.length && !isSearch; at += 1) {
    if (range[at] === "{") depth += 1;
    if (range[at] === "}") depth -= 1;
    if (depth > 0 || !range.startsWith("..", at)) continue;
    const dots = range.startsWith("...", at) ? "..." : "..";
    return { from: range.slice(0, at), dots, to: range.slice(at + dots.length) };
  }
  return { from: range, dots: undefined, to: "" };
}

function refuseUnfit(revision: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are refused
  if (revision !== "" && !/^-|[\0-\x1f\x7f]/.test(revision) && revision.length <= maxChars) return;
  throw new ToolError("invalid-input", `${JSON.stringify(revision.slice(0, 100))} is not a revision`, {
    hint: 'Give a branch, a tag, a commit hash, or for example "HEAD~2", "main@{1}".',
  });
}

const maxChars = 1000;

async function unknownRevision(revision: string, answer: string, repository: Repository): Promise<ToolError> {
  if (answer.endsWith(" ambiguous"))
    return new ToolError("ambiguous-match", `Several hashes begin with ${revision}`, {
      hint: "Give more characters of the hash.",
    });
  const names = await refNames(repository);
  if (names.length === 0)
    return new ToolError("not-found", `There is no ${revision}: this repository has no commits yet`, {
      hint: "Make a first commit with git.commit.",
    });
  const [base = revision] = revision.split(/[~^@:]/);
  const similar = nearest(base, ["HEAD", ...names]);
  const some = names.slice(0, 10).join(", ");
  return new ToolError("not-found", `There is no revision ${revision} in this repository`, {
    hint:
      similar === undefined || similar === base
        ? `Use a branch or tag (${names.length > 10 ? `${some}, …` : some}), or a commit from git.log.`
        : `Did you mean ${similar}?`,
  });
}

/** Lists branches, tags and remote branches by their short names, newest first. */
async function refNames(repository: Repository): Promise<readonly string[]> {
  const args = ["for-each-ref", "--count=2000", "--sort=-creatordate", "--format=%(refname:short)"];
  const printed = await outputOfGit(repository, [...args, "refs/heads", "refs/tags", "refs/remotes"]);
  return printed
    .toString()
    .split("\n")
    .filter((name) => name !== "");
}

export interface TreeEntry {
  /** Relative to the top, or to the tree that was read. */
  readonly path: string;
  readonly kind: "file" | "executable" | "link" | "directory" | "submodule";
  readonly hash: string;
  readonly bytes?: number | undefined;
}

export async function readEntry(
  commit: string,
  path: string,
  repository: Repository,
): Promise<TreeEntry | undefined> {
  const args = ["ls-tree", "-z", "-l", "--full-tree", commit, "--", path];
  const entries = parseTree((await outputOfGit(repository, args)).toString());
  return entries.find((entry) => entry.path === path);
}

export async function readTree(tree: string, repository: Repository): Promise<readonly TreeEntry[]> {
  const args = ["ls-tree", "-z", "-l", "--full-tree", tree];
  return parseTree((await outputOfGit(repository, args)).toString());
}

function parseTree(output: string): readonly TreeEntry[] {
  return output.split("\0").flatMap((record) => {
    const [, mode = "", hash, size, path] =
      /^(\d{6}) [a-z]+ ([0-9a-f]{40,64}) +(\d+|-)\t(.*)$/s.exec(record) ?? [];
    if (hash === undefined || path === undefined) return [];
    const bytes = size === "-" ? undefined : Number(size);
    return [{ path, kind: kinds[mode] ?? "file", hash, bytes }];
  });
}

const kinds: Readonly<Record<string, TreeEntry["kind"]>> = {
  "100755": "executable",
  "120000": "link",
  "040000": "directory",
  "160000": "submodule",
};

/** Throws `not-found` for a path that is not in the working tree, the index, these commits or HEAD. */
export async function requireKnown(
  named: readonly { readonly path: string; readonly given: string }[],
  commits: readonly string[],
  repository: Repository,
): Promise<void> {
  for (const { path, given } of named) {
    const missing = await whyMissing(given, repository);
    if (missing === undefined) continue;
    const listing = ["ls-files", "-z", ...pathspecs(repository, [path])];
    if ((await outputOfGit(repository, listing)).length > 0) continue;
    if (!(await isCommitted(path, [...commits, "HEAD"], repository))) throw missing;
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
): Promise<boolean> {
  for (const commit of commits) {
    const args = ["rev-parse", "--verify", "--quiet", `${commit}:${path}`];
    if ((await runGit(repository, args)).code === 0) return true;
  }
  return false;
}
