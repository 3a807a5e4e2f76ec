import { ToolError } from "../contract/error.ts";
import { nearest } from "../lib/text/nearest.ts";
import { explainFailure } from "./explain-failure.ts";
import { type Hooks, hooksFor, settingsByOwner } from "./hooks.ts";
import { type GitContext, outputOfGit, type Repository, runGit } from "./run-git.ts";
import { tryWritingGit } from "./write-git.ts";

export interface Branch {
  readonly name: string;
  readonly isCurrent: boolean;
  readonly commit: string;
  readonly subject: string;
  /** When its last commit was made, ISO-8601. */
  readonly date: string;
  readonly upstream: string | null;
  /** Null without an upstream, or when that is gone. */
  readonly ahead: number | null;
  readonly behind: number | null;
}

/** Branches by their last commit, newest first. */
export async function listBranches(
  repository: Repository,
  context: GitContext,
  limit: number,
): Promise<readonly Branch[]> {
  const words = ["for-each-ref", `--count=${limit}`, "--sort=-committerdate", `--format=${format}`];
  const output = await outputOfGit(repository, [...words, "refs/heads"], context);
  return output
    .toString()
    .split("\n")
    .flatMap((line): readonly Branch[] => {
      const [head, name, commit, date, upstream, track = "", subject = ""] = line.split("\0");
      if (name === undefined) return [];
      const isTracked = upstream !== "" && track !== "gone";
      return [
        {
          name,
          isCurrent: head === "*",
          commit: commit!,
          subject,
          date: date!,
          upstream: upstream || null,
          ahead: isTracked ? numberAfter("ahead", track) : null,
          behind: isTracked ? numberAfter("behind", track) : null,
        },
      ];
    });
}

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

/** Throws for what git would not take as the name of a branch, or take for something else: `-f`, `@{-1}`, `HEAD`. */
export async function requireBranchName(
  name: string,
  repository: Repository,
  context: GitContext,
): Promise<void> {
  const isPlain = !name.startsWith("-") && !/[\0\n]/.test(name);
  const { stdout, code } = isPlain
    ? await runGit(repository, ["check-ref-format", "--branch", name], context)
    : { stdout: "", code: 1 };
  if (code === 0 && stdout.toString() === `${name}\n`) return;
  throw new ToolError("invalid-input", `${JSON.stringify(name)} cannot be the name of a branch`, {
    hint: "Use words with - or / between them: fix/empty-input.",
  });
}

/** The commit of a branch; undefined if there is none of this name. */
export async function commitOfBranch(
  name: string,
  repository: Repository,
  context: GitContext,
): Promise<string | undefined> {
  const words = ["rev-parse", "--verify", "--quiet", `refs/heads/${name}^{commit}`];
  const { stdout, code } = await runGit(repository, words, context);
  return code === 0 ? stdout.toString().trim() : undefined;
}

export async function noSuchBranch(
  name: string,
  repository: Repository,
  context: GitContext,
): Promise<ToolError> {
  const words = [
    "for-each-ref",
    "--count=2000",
    "--format=%(refname:lstrip=2)",
    "refs/heads",
    "refs/remotes",
  ];
  const names = (await outputOfGit(repository, words, context)).toString().split("\n");
  const remote = names.find((one) => one.endsWith(`/${name}`));
  const similar = nearest(name, names);
  return new ToolError("not-found", `There is no branch ${name}`, {
    hint:
      remote === undefined
        ? `${similar === undefined ? "" : `Did you mean ${similar}? `}With \`from\`: "HEAD" it is made here.`
        : `${remote} has it: with \`from\`: "${remote}" it is made from that.`,
  });
}

/** The same for who would delete it: names those that there are, newest first. */
export async function noBranchToDelete(
  name: string,
  repository: Repository,
  context: GitContext,
): Promise<ToolError> {
  const names = (await listBranches(repository, context, maxNamed + 1)).map((branch) => branch.name);
  const more = names.length > maxNamed ? ", …" : "";
  return new ToolError("not-found", `There is no branch ${name}`, {
    hint:
      names.length === 0
        ? "There are no branches yet."
        : `There are: ${names.slice(0, maxNamed).join(", ")}${more}. Only branches of this repository are deleted, not of remotes.`,
  });
}

const maxNamed = 20;

interface Deleted {
  readonly hooks: Hooks;
  readonly notes: readonly string[];
}

/** Deletes a branch that is there; `denied` where commits would be lost and it is not forced. */
export async function deleteBranch(
  name: string,
  force: boolean,
  repository: Repository,
  context: GitContext,
): Promise<Deleted> {
  const hooks = await hooksFor("branch", repository, context);
  const words = ["branch", "--quiet", force ? "-D" : "-d", name];
  const { code, stderr } = await tryWritingGit(repository, words, context, {
    ...hooks.options,
    leavesFiles: hooks.run.length === 0,
  });
  const notes = hooks.note === undefined ? [] : [hooks.note];
  // Git would remove its settings for the branch as well, which no sandbox lets anybody write.
  if (
    code === 0 &&
    /Update of config-file failed/.test(stderr) &&
    (await hasSettings(name, repository, context))
  )
    return { hooks, notes: [...notes, settingsStay(name)] };
  if (code === 0) return { hooks, notes };
  if (/not fully merged/.test(stderr))
    throw new ToolError("denied", `The branch ${name} has commits that are not merged`, {
      hint: "`git.log` with `revision` shows them. `force` deletes it all the same.",
    });
  const [, place] = /(?:checked out|used by worktree) at '(.+)'/.exec(stderr) ?? [];
  if (place !== undefined)
    throw new ToolError("unsupported", `The branch ${name} is the current one in ${place}`, {
      hint: "Switch to another one first.",
    });
  throw explainFailure(stderr, code);
}

async function hasSettings(name: string, repository: Repository, context: GitContext): Promise<boolean> {
  const settings = await settingsByOwner(repository, context);
  return settings.some(({ key, from }) => from === "repository" && key.startsWith(`branch.${name}.`));
}

function settingsStay(name: string): string {
  return `Its upstream stays in .git/config, for when it comes back: \`git config --remove-section branch.${name}\` removes it.`;
}
