import { posix } from "node:path";
import { errorWith, ToolError } from "../contract/error.ts";
import { counted } from "../lib/text/format-quantity.ts";
import { printable, showPath } from "../lib/text/printable.ts";
import { explainFailure, knownFailure } from "./explain-failure.ts";
import { filtersForHooks } from "./filters.ts";
import { type Hooks, hooksFor, settingOf, settingsByOwner } from "./hooks.ts";
import { statusByNames, textOfName } from "./names.ts";
import {
  fixedDiffOptions,
  type GitOptions,
  type GitResult,
  outputOfGit,
  type Repository,
  runGit,
} from "./run-git.ts";
import { signingBy, signLastCommit, undoCommit } from "./sign-commit.ts";
import { operationsIn } from "./status.ts";
import { tryWritingGit } from "./write-git.ts";

interface CommitRequest {
  readonly message: string | undefined;
  readonly amend: boolean;
}

export interface Committed {
  readonly summary: CommitSummary;
  /** Where HEAD was; undefined before the first commit. */
  readonly before: string | undefined;
  /** Undefined when HEAD is detached. */
  readonly branch: string | undefined;
  readonly isSigned: boolean;
  readonly hooks: Hooks;
  readonly output: string;
  readonly notes: readonly string[];
}

/** Commits what is staged. If it throws, nothing is committed, unless the error or `tell` says so: see `mentioningCommit`. */
export async function commit(
  { message, amend }: CommitRequest,
  repository: Repository,
  tell: (output: string) => void,
): Promise<Committed> {
  const [{ branch, staged, unmerged, unstaged }, operations] = await Promise.all([
    statusByNames(repository, { untracked: "no", renames: true }),
    operationsIn(repository),
  ]);
  if (unmerged.length > 0) throw hasConflicts(unmerged.map(({ path }) => textOfName(path)));
  if (amend) await refuseAmending(branch.commit, operations.includes("merge"), repository);
  else if (staged.length === 0 && !operations.includes("merge")) throw nothingStaged(unstaged.length);
  await requireAuthor(repository);
  const hooks = await hooksFor("commit", repository);
  const signing = signingBy(await settingsByOwner(repository), {
    areHooksRun: hooks.run.length > 0,
  });
  const hookFilters = hooks.run.length > 0 ? await filtersForHooks(repository) : undefined;
  const committing = tryWritingGit(repository, argumentsFor(message, amend), {
    ...hooks.options,
    ...hookFilters,
    leavesFiles: hooks.run.length === 0,
    settings: {
      ...authorSettings,
      "i18n.commitEncoding": "UTF-8",
      ...hookFilters?.settings,
      ...hooks.options.settings,
    },
    input: message === undefined ? undefined : Buffer.from(message),
  });
  const result = await mentioningCommit(committing, branch.commit, repository, tell);
  if (result.code !== 0) throw failed(result, hooks);
  if (signing.isSigned) {
    const isBegun = operations.some((operation) => operation !== "bisect");
    const before = isBegun ? "stays" : { commit: branch.commit };
    const signed = sign(signing.settings, before, repository);
    // A commit that cannot be signed is undone, so it is mentioned only after that.
    await mentioningCommit(signed, branch.commit, repository, isBegun ? tell : () => {});
  }
  return {
    summary: await mentioningCommit(lastCommit(repository), branch.commit, repository, tell),
    before: branch.commit,
    branch: branch.name,
    isSigned: signing.isSigned,
    hooks,
    output: hooks.run.length === 0 ? "" : outputOf(result),
    notes: [
      ...(hooks.note === undefined ? [] : [hooks.note]),
      ...(signing.isSigned || signing.note === undefined ? [] : [signing.note]),
      ...(operations.includes("rebase") ? [inRebase] : []),
      ...result.remarks,
    ],
  };
}

/**
 * Waits for a step in which the call may be cancelled after the commit was made, for example while the last hook runs.
 * The call does not wait for programs to end, so `tell` mentions the commit at once, and the error does, too.
 */
async function mentioningCommit<T>(
  step: Promise<T>,
  before: string | undefined,
  repository: Repository,
  tell: (output: string) => void,
): Promise<T> {
  const { signal } = repository;
  let telling: Promise<void> | undefined;
  const tellNow = async () => {
    const mention = await mentionOfCommit(before, repository);
    if (mention !== undefined) tell(mention);
  };
  const onAbort = () => {
    telling = tellNow();
  };
  signal.addEventListener("abort", onAbort);
  try {
    return await step;
  } catch (error) {
    await telling;
    const mention = signal.aborted ? await mentionOfCommit(before, repository) : undefined;
    throw error instanceof ToolError && mention !== undefined ? errorWith(error, { output: mention }) : error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Says that HEAD has moved, and how to move it back; undefined if it has not. */
async function mentionOfCommit(
  before: string | undefined,
  repository: Repository,
): Promise<string | undefined> {
  const head = await readHead(repository).catch(() => askForHead(repository));
  if (head === undefined || head === before) return undefined;
  const back = before === undefined ? "update-ref -d HEAD" : `reset --soft ${before.slice(0, 12)}`;
  return `The commit ${head.slice(0, 10)} was already made. To undo it: git ${back}\n`;
}

/** Reads the files of git, which takes no process. A branch that a commit has moved is a file of its own. */
async function readHead({ gitDirectory, commonDirectory, environment }: Repository): Promise<string> {
  const read = async (path: string) => {
    const { bytes } = await environment.readFile(path, { maxBytes: 1000 });
    return Buffer.from(bytes).toString().trimEnd();
  };
  const head = await read(posix.join(gitDirectory, "HEAD"));
  const [, ref] = /^ref: (refs\/heads\/.+)$/.exec(head) ?? [];
  const commit = ref === undefined ? head : await read(posix.join(commonDirectory, ref));
  if (/^[0-9a-f]{40,64}$/.test(commit)) return commit;
  throw new Error("HEAD is in another format");
}

/** Asks git for HEAD where its files cannot be read: outside the workspace, packed, or in another format. */
async function askForHead(repository: Repository): Promise<string | undefined> {
  const late = { ...repository, signal: AbortSignal.timeout(lookMs) };
  const args = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
  const result = await runGit(late, args).catch(() => undefined);
  return result?.code === 0 ? result.stdout.toString().trim() : undefined;
}

const lookMs = 1000;

/** Returns arguments with which git takes the message verbatim: no line as a comment, no word as an option. */
function argumentsFor(message: string | undefined, amend: boolean): readonly string[] {
  const source = message === undefined ? "--no-edit" : "--file=-";
  const fixed = ["commit", "--quiet", "--untracked-files=no", "--cleanup=whitespace", source];
  return amend ? [...fixed, "--amend"] : fixed;
}

const inRebase = "A rebase is in progress. To continue it, run: git rebase --continue";

/** Refuses to amend a published commit, because others may have fetched it. */
async function refuseAmending(
  head: string | undefined,
  isMerging: boolean,
  repository: Repository,
): Promise<void> {
  if (head === undefined)
    throw new ToolError("not-found", "There is no commit to amend", { hint: "Leave out `amend`." });
  if (isMerging)
    throw new ToolError("unsupported", "Cannot amend during a merge", {
      hint: "Commit without `amend` to end the merge.",
    });
  const format = "--format=%(refname:short)";
  const args = ["for-each-ref", "--count=1", format, `--contains=${head}`, "refs/remotes"];
  const published = (await outputOfGit(repository, args)).toString().trim();
  if (published !== "")
    throw new ToolError("denied", `Cannot amend the last commit: it is already on ${published}`, {
      hint: "Commit without `amend`.",
    });
}

function hasConflicts(paths: readonly string[]): ToolError {
  const shown = paths.slice(0, 5).map(showPath);
  if (paths.length > 5) shown.push(`${paths.length - 5} more`);
  return new ToolError("unsupported", `There are unresolved conflicts in ${shown.join(", ")}`, {
    hint: "Resolve each file, then stage it (git.stage).",
  });
}

function nothingStaged(changed: number): ToolError {
  return changed > 0
    ? new ToolError("not-found", "Nothing is staged", {
        hint: `Stage changes first (git.stage): ${counted(changed, "file")} changed.`,
      })
    : new ToolError("not-found", "There is nothing to commit", { hint: "Change a file first." });
}

/** Signs the last commit. If that fails, the commit is undone, unless it ended a merge, which cannot be started again. */
async function sign(
  settings: NonNullable<GitOptions["settings"]>,
  before: { readonly commit: string | undefined } | "stays",
  repository: Repository,
): Promise<void> {
  const undo = async () => {
    const signal = AbortSignal.timeout(undoMs);
    if (before !== "stays") await undoCommit(before.commit, { ...repository, signal });
  };
  const complaint = await signLastCommit(settings, repository).catch(async (error) => {
    await undo();
    throw error;
  });
  if (complaint === undefined) return;
  await undo();
  if (before === "stays")
    throw new ToolError("unavailable", "The merge is committed, but git could not sign the commit", {
      hint: "Ask the user to run: git commit --amend --no-edit -S",
      forUser: { hint: "To sign it, run: git commit --amend --no-edit -S" },
      output: complaint,
    });
  throw new ToolError("unavailable", "Nothing was committed: git could not sign the commit", {
    hint: "Ask the user to unlock the signing key, then commit again.",
    forUser: { hint: "Unlock your signing key, then commit again." },
    output: complaint,
  });
}

const undoMs = 30_000;

function failed(result: GitResult, hooks: Hooks): ToolError {
  const { stderr, code } = result;
  if (hooks.run.length === 0) return explainFailure(stderr, code);
  const known = knownFailure(stderr, code);
  if (known !== undefined) return known;
  return new ToolError("denied", "Nothing was committed: a git hook refused the commit", {
    hint: "Fix what the hook reports, stage it (git.stage) and commit again.",
    output: outputOf(result),
  });
}

function outputOf({ stdout, stderr }: GitResult): string {
  return printable(`${stdout.toString()}${stderr}`.slice(-maxOutput));
}

const maxOutput = 5000;

/** Requires an author in git's settings; never guesses one from the names of the user and the machine. */
async function requireAuthor(repository: Repository): Promise<void> {
  const settings = await settingsByOwner(repository);
  const isNamed = ["user.name", "user.email"].every((key) =>
    /\w/.test(settingOf(settings, key)?.value ?? ""),
  );
  if (isNamed && !settings.some(({ key }) => /^(?:author|committer)\./.test(key))) return;
  const { code, stderr } = await runGit(repository, ["var", "GIT_COMMITTER_IDENT"], {
    settings: authorSettings,
  });
  if (code === 0) return;
  const isEmail = !/empty ident name|no name was given/.test(stderr);
  const setting = isEmail ? "user.email you@example.org" : 'user.name "Your Name"';
  throw new ToolError("unavailable", `The commit has no author: git's ${setting.split(" ")[0]} is not set`, {
    hint: `Ask the user to run: git config --global ${setting}`,
    forUser: { hint: `Run: git config --global ${setting}` },
  });
}

const authorSettings = { "user.useConfigOnly": "true" } as const;

export interface CommitSummary {
  readonly hash: string;
  readonly short: string;
  readonly subject: string;
  readonly files: readonly CommittedFile[];
}

interface CommittedFile {
  readonly path: string;
  readonly from?: string;
  readonly additions: number | undefined;
  readonly deletions: number | undefined;
}

/** Reads the last commit. The files of a merge are the changes to this branch. */
async function lastCommit(repository: Repository): Promise<CommitSummary> {
  const counting = ["-m", "--first-parent", "--numstat", "-z", "--find-renames", "--no-relative"];
  const args = ["log", "-1", "--no-show-signature", "--format=%H%x00%h%x00%s", ...fixedDiffOptions];
  const printed = (await outputOfGit(repository, [...args, ...counting])).toString("latin1");
  const [, hash = "", short = "", subject = "", counts = ""] =
    /^(.*?)\0(.*?)\0(.*?)\0\n?(.*)$/s.exec(printed) ?? [];
  return { hash, short, subject: textOfName(subject), files: readCounts(counts, repository.prefix) };
}

/** Parses "3 TAB 1 TAB path NUL". A rename has no path there; two paths follow it, from and to. */
function readCounts(output: string, prefix: string): readonly CommittedFile[] {
  const fields = output.split("\0");
  const files: CommittedFile[] = [];
  for (let at = 0; at + 1 < fields.length; at += 1) {
    const [, added = "", deleted = "", name = ""] = /^(\S+)\t(\S+)\t(.*)$/s.exec(fields[at]!) ?? [];
    const count = (text: string) => (text === "-" ? undefined : Number(text));
    const from = name === "" ? prefix + textOfName(fields[at + 1]!) : undefined;
    if (from !== undefined) at += 2;
    const path = prefix + textOfName(name || fields[at]!);
    files.push({ path, from, additions: count(added), deletions: count(deleted) });
  }
  return files;
}
