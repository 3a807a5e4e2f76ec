import { ToolError } from "../contract/error.ts";
import { nearest } from "../lib/text/nearest.ts";
import { explainFailure } from "./explain-failure.ts";
import { type Hooks, hooksFor, settingsByOwner } from "./hooks.ts";
import { outputOfGit, type Repository } from "./run-git.ts";
import { tryWritingGit } from "./write-git.ts";

export interface Branch {
  readonly name: string;
  readonly isCurrent: boolean;
  readonly commit: string;
  readonly subject: string;
  readonly date: string;
  readonly upstream: string | null;
  /** Null without an upstream branch, or when that no longer exists. */
  readonly ahead: number | null;
  readonly behind: number | null;
}

/** Lists branches by their last commit, newest first. */
export async function listBranches(repository: Repository, limit: number): Promise<readonly Branch[]> {
  const args = ["for-each-ref", `--count=${limit}`, "--sort=-committerdate", `--format=${format}`];
  const output = await outputOfGit(repository, [...args, "refs/heads"]);
  const lines = output.toString().split("\n").slice(0, -1);
  return lines.map((line) => {
    const [head, name, commit, date, upstream, track, subject] = line.split("\0") as [string, ...Columns];
    const isTracked = upstream !== "" && track !== "gone";
    return {
      name,
      isCurrent: head === "*",
      commit,
      subject,
      date,
      upstream: upstream || null,
      ahead: isTracked ? numberAfter("ahead", track) : null,
      behind: isTracked ? numberAfter("behind", track) : null,
    };
  });
}

type Columns = [string, string, string, string, string, string];

const format = [
  "%(HEAD)",
  "%(refname:lstrip=2)",
  "%(objectname:short)",
  "%(committerdate:iso-strict)",
  "%(upstream:short)",
  "%(upstream:track,nobracket)",
  "%(contents:subject)",
].join("%00");

function numberAfter(word: string, track: string): number {
  return Number(new RegExp(`${word} (\\d+)`).exec(track)?.[1] ?? 0);
}

/** Refuses names that git rejects or reads as something else: `-f`, `@{-1}`, `HEAD`. */
export function requireBranchName(name: string): void {
  if (!badName.test(name)) return;
  throw new ToolError("invalid-input", `${JSON.stringify(name)} is not a valid branch name`, {
    hint: "Use words joined by - or /, for example: fix/empty-input",
  });
}

/** Matches the names that `git check-ref-format --branch` refuses. */
const badName = /^-|^(?:HEAD|@)?$|[\0- ~^:?*[\\\x7f]|\.\.|@\{|(?:^|\/)[./]|\/$|\.lock(?:\/|$)|\.$/;

export async function commitOfBranch(name: string, repository: Repository): Promise<string | undefined> {
  return (await commitsOf([`refs/heads/${name}`], repository))[0];
}

/** Returns the commits that these references point to; undefined for a reference that does not exist. */
export async function commitsOf(
  references: readonly string[],
  repository: Repository,
): Promise<readonly (string | undefined)[]> {
  const input = Buffer.from(references.map((reference) => `${reference}^{commit}\n`).join(""));
  const printed = await outputOfGit(repository, ["cat-file", "--batch-check"], { input });
  const lines = printed.toString().split("\n");
  return references.map((_, at) => /^([0-9a-f]{40,64}) commit \d+$/.exec(lines[at] ?? "")?.[1]);
}

export async function noSuchBranch(name: string, repository: Repository): Promise<ToolError> {
  const format = "--format=%(refname:lstrip=2)";
  const args = ["for-each-ref", "--count=2000", format, "refs/heads", "refs/remotes"];
  const names = (await outputOfGit(repository, args)).toString().split("\n");
  const remote = names.find((one) => one.endsWith(`/${name}`));
  const similar = nearest(name, names);
  return new ToolError("not-found", `There is no branch ${name}`, {
    hint:
      remote === undefined
        ? `${similar === undefined ? "" : `Did you mean ${similar}? `}To create it here, set \`from\`: "HEAD".`
        : `To create it from ${remote}, set \`from\`: "${remote}".`,
  });
}

/** Returns the error for a deletion, which lists the local branches, newest first. */
export async function noBranchToDelete(name: string, repository: Repository): Promise<ToolError> {
  const names = (await listBranches(repository, maxNamed + 1)).map((branch) => branch.name);
  const more = names.length > maxNamed ? ", …" : "";
  return new ToolError("not-found", `There is no branch ${name}`, {
    hint:
      names.length === 0
        ? undefined
        : `Give one of the local branches: ${names.slice(0, maxNamed).join(", ")}${more}.`,
  });
}

const maxNamed = 20;

/** Deletes an existing branch. Throws `denied` where commits would be lost, unless forced. */
export async function deleteBranch(
  name: string,
  force: boolean,
  repository: Repository,
): Promise<{ readonly hooks: Hooks; readonly notes: readonly string[] }> {
  const hooks = await hooksFor("branch", repository);
  const args = ["branch", "--quiet", force ? "-D" : "-d", name];
  const { code, stderr } = await tryWritingGit(repository, args, {
    ...hooks.options,
    leavesFiles: hooks.run.length === 0,
  });
  const notes = hooks.note === undefined ? [] : [hooks.note];
  // Git also tries to remove the branch's settings, which the sandbox does not allow.
  if (code === 0 && /Update of config-file failed/.test(stderr) && (await hasSettings(name, repository)))
    notes.push(
      `Its upstream settings remain in .git/config. To remove them: git config --remove-section branch.${name}`,
    );
  if (code === 0) return { hooks, notes };
  if (/not fully merged/.test(stderr))
    throw new ToolError("denied", `The branch ${name} has commits that are not merged`, {
      hint: "Set `force` to delete it anyway.",
    });
  const [, worktree] = /(?:checked out|used by worktree) at '(.+)'/.exec(stderr) ?? [];
  if (worktree !== undefined)
    throw new ToolError("unsupported", `The branch ${name} is checked out in ${worktree}`, {
      hint: "Switch to another branch there first.",
    });
  throw explainFailure(stderr, code);
}

async function hasSettings(name: string, repository: Repository): Promise<boolean> {
  const settings = await settingsByOwner(repository);
  return settings.some(({ key, from }) => from === "repository" && key.startsWith(`branch.${name}.`));
}
