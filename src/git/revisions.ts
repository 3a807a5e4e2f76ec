import { ToolError } from "../contract/error.ts";
import { nearest } from "../lib/text/nearest.ts";
import { pathspecs } from "./paths.ts";
import { type GitContext, outputOfGit, type Repository, runGit } from "./run-git.ts";

/** What a revision means: an object by its hash, which no command can take for an option or a path. */
export interface Revision {
  readonly hash: string;
  readonly type: "commit" | "tag" | "tree" | "blob";
  /** The commit that a tag stands for, or itself. */
  readonly commit: string | undefined;
}

/** What a revision means; `not-found` names one that is spelled like it. */
export async function resolveRevision(
  revision: string,
  repository: Repository,
  context: GitContext,
): Promise<Revision> {
  refuseUnfit(revision);
  const input = Buffer.from(`${revision}\n${revision}^{commit}\n`);
  const printed = await outputOfGit(repository, ["cat-file", "--batch-check"], context, { input });
  const [own = "", peeled = ""] = printed.toString().split("\n");
  const [, hash, type] = /^([0-9a-f]{40,64}) (commit|tag|tree|blob) \d+$/.exec(own) ?? [];
  if (hash === undefined) throw await unknownRevision(revision, own, repository, context);
  const commit = /^([0-9a-f]{40,64}) commit \d+$/.exec(peeled)?.[1];
  return {
    hash,
    type: type as Revision["type"],
    commit: commit ?? (type === "commit" ? hash : undefined),
  };
}

/** The hash of the commit that a revision means. */
export async function resolveCommit(
  revision: string,
  repository: Repository,
  context: GitContext,
): Promise<string> {
  const { commit, type } = await resolveRevision(revision, repository, context);
  if (commit !== undefined) return commit;
  throw new ToolError("invalid-input", `${revision} is a ${type}, not a commit`, {
    hint: "Give a branch, a tag or a commit.",
  });
}

/** A commit, or two of them with ".." or "..." between, by their hashes. A side that is missing is HEAD. */
export async function resolveRange(
  range: string,
  repository: Repository,
  context: GitContext,
): Promise<string> {
  const { from, dots, to } = splitRange(range);
  if (dots === undefined) return resolveCommit(range, repository, context);
  const sides = [from || "HEAD", to || "HEAD"];
  const hashes = await Promise.all(sides.map((side) => resolveCommit(side, repository, context)));
  return hashes.join(dots);
}

/** Two dots stand in no name of git's, but may in braces: `main@{2.days.ago}..HEAD`. */
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
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is refused
  if (revision !== "" && !/^-|[\0-\x1f\x7f]/.test(revision) && revision.length <= maxChars) return;
  throw new ToolError("invalid-input", `${JSON.stringify(revision.slice(0, 100))} is no revision`, {
    hint: 'Give a branch, a tag, a commit hash, or as "HEAD~2", "main@{1}".',
  });
}

const maxChars = 1000;

async function unknownRevision(
  revision: string,
  answer: string,
  repository: Repository,
  context: GitContext,
): Promise<ToolError> {
  if (answer.endsWith(" ambiguous"))
    return new ToolError("ambiguous-match", `${revision} is the beginning of several hashes`, {
      hint: "Give more of it.",
    });
  const names = await refNames(repository, context);
  if (names.length === 0)
    return new ToolError("not-found", `There is no ${revision}: this repository has no commits yet`, {
      hint: "git.status shows what could be committed.",
    });
  const [base = revision] = revision.split(/[~^@:]/);
  const similar = nearest(base, ["HEAD", ...names]);
  const some = names.slice(0, 10).join(", ");
  return new ToolError("not-found", `There is no revision ${revision} in this repository`, {
    hint:
      similar === undefined || similar === base
        ? `There are ${names.length > 10 ? `${some}, …` : some}; git.log shows commits.`
        : `Did you mean ${similar}?`,
  });
}

/** Branches, tags and branches of remotes, by their short names, newest first. */
async function refNames(repository: Repository, context: GitContext): Promise<readonly string[]> {
  const args = ["for-each-ref", "--count=2000", "--sort=-creatordate", "--format=%(refname:short)"];
  const printed = await outputOfGit(
    repository,
    [...args, "refs/heads", "refs/tags", "refs/remotes"],
    context,
  );
  return printed
    .toString()
    .split("\n")
    .filter((name) => name !== "");
}

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
