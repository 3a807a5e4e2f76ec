import { reworded, ToolError } from "../contract/error.ts";
import { printable, showPath } from "../lib/text/printable.ts";
import { explainFailure, knownFailure } from "./explain-failure.ts";
import { filtersBesideHooks } from "./filters.ts";
import { type Hooks, hooksFor, settingsByOwner } from "./hooks.ts";
import { statusByNames, textOfName } from "./names.ts";
import {
  type GitContext,
  type GitOptions,
  type GitResult,
  outputOfGit,
  type Repository,
  runGit,
} from "./run-git.ts";
import { signingBy, signLastCommit, takeBackCommit } from "./sign-commit.ts";
import { operationsIn } from "./status.ts";
import { tryWritingGit } from "./write-git.ts";

interface CommitRequest {
  /** None to keep that of the commit that is amended. */
  readonly message: string | undefined;
  readonly amend: boolean;
}

export interface Committed {
  /** Where HEAD was; undefined before the first commit. */
  readonly before: string | undefined;
  /** Undefined when HEAD is detached. */
  readonly branch: string | undefined;
  readonly isSigned: boolean;
  readonly hooks: Hooks;
  readonly said: string;
  readonly notes: readonly string[];
}

/** Commits what is staged. Where it throws nothing is committed, or, when the call was ended too late, the error says what. */
export async function commit(
  { message, amend }: CommitRequest,
  repository: Repository,
  context: GitContext,
): Promise<Committed> {
  const [{ branch, staged, unmerged, unstaged }, operations] = await Promise.all([
    statusByNames(repository, context, { untracked: "no", renames: true }),
    operationsIn(repository, context),
  ]);
  if (unmerged.length > 0) throw hasConflicts(unmerged.map(({ path }) => textOfName(path)));
  if (amend) await refuseAmending(branch.commit, operations.includes("merge"), repository, context);
  else if (staged.length === 0 && !operations.includes("merge")) throw nothingStaged(unstaged.length);
  await requireAuthor(repository, context);
  const hooks = await hooksFor("commit", repository, context);
  const signing = signingBy(await settingsByOwner(repository, context), {
    areHooksRun: hooks.run.length > 0,
  });
  const beside = hooks.run.length > 0 ? await filtersBesideHooks(repository, context) : undefined;
  const tellIfMade = async (error: unknown) => {
    throw context.signal.aborted ? await orMade(error, branch.commit, repository, context) : error;
  };
  const said = await tryWritingGit(repository, wordsOf(message, amend), context, {
    ...hooks.options,
    ...beside,
    leavesFiles: hooks.run.length === 0,
    settings: {
      ...authorSettings,
      "i18n.commitEncoding": "UTF-8",
      ...beside?.settings,
      ...hooks.options.settings,
    },
    ...(message !== undefined && { input: Buffer.from(message) }),
  }).catch(tellIfMade);
  if (said.code !== 0) throw failed(said, hooks);
  if (signing.isSigned) {
    const isBegun = operations.some((operation) => operation !== "bisect");
    const before = isBegun ? "stays" : { commit: branch.commit };
    await sign(signing.settings, before, repository, context).catch(tellIfMade);
  }
  return {
    before: branch.commit,
    branch: branch.name,
    isSigned: signing.isSigned,
    hooks,
    said: hooks.run.length === 0 ? "" : outputOf(said),
    notes: [
      ...(hooks.note === undefined ? [] : [hooks.note]),
      ...(signing.isSigned || signing.note === undefined ? [] : [signing.note]),
      ...(operations.includes("rebase") ? [inRebase] : []),
      ...said.remarks,
    ],
  };
}

/** A call can end while the last hook runs, too late for the commit: the error then says that the commit exists. */
async function orMade(
  error: unknown,
  before: string | undefined,
  repository: Repository,
  context: GitContext,
): Promise<unknown> {
  if (!(error instanceof ToolError)) return error;
  const late = { environment: context.environment, signal: AbortSignal.timeout(lookMs) };
  const words = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
  const result = await runGit(repository, words, late).catch(() => undefined);
  const head = result?.code === 0 ? result.stdout.toString().trim() : undefined;
  if (head === undefined || head === before) return error;
  const back = before === undefined ? "update-ref -d HEAD" : `reset --soft ${before.slice(0, 12)}`;
  return reworded(error, {
    output: `The commit ${head.slice(0, 10)} was already made: \`git ${back}\` takes it back.\n`,
  });
}

const lookMs = 1000;

/** The message is read as it is: no line of it is taken for a comment, no word for an option. */
function wordsOf(message: string | undefined, amend: boolean): readonly string[] {
  const telling = message === undefined ? "--no-edit" : "--file=-";
  const words = ["commit", "--quiet", "--untracked-files=no", "--cleanup=whitespace"];
  return [...words, ...(amend ? ["--amend"] : []), telling];
}

const inRebase = "A rebase is in progress: `git rebase --continue` in shell.run goes on with it.";

/** A published commit is not amended: others may have fetched it. */
async function refuseAmending(
  head: string | undefined,
  isMerging: boolean,
  repository: Repository,
  context: GitContext,
): Promise<void> {
  if (head === undefined)
    throw new ToolError("not-found", "There is no commit to amend yet", { hint: "Leave out `amend`." });
  if (isMerging)
    throw new ToolError("unsupported", "A merge is in progress, which a commit concludes", {
      hint: "Leave out `amend`; amend afterwards.",
    });
  const words = [
    "for-each-ref",
    "--count=1",
    "--format=%(refname:short)",
    `--contains=${head}`,
    "refs/remotes",
  ];
  const published = (await outputOfGit(repository, words, context)).toString().trim();
  if (published !== "")
    throw new ToolError("denied", `The last commit is published: ${published} has it`, {
      hint: "Others may build on it: make a new commit instead.",
    });
}

function hasConflicts(paths: readonly string[]): ToolError {
  const shown = paths.slice(0, 5).map(showPath);
  if (paths.length > 5) shown.push(`${paths.length - 5} more`);
  return new ToolError("unsupported", `Conflicts are not resolved in ${shown.join(", ")}`, {
    hint: "Edit each of them as it is to be, then git.stage it.",
  });
}

function nothingStaged(changed: number): ToolError {
  return new ToolError("not-found", "Nothing is staged, so that there is nothing to commit", {
    hint:
      changed > 0
        ? `${changed === 1 ? "1 file has" : `${changed} files have`} changed: git.stage chooses what to commit.`
        : "git.status shows what has changed; git.stage chooses what to commit.",
  });
}

/** A commit that cannot be signed is taken back, unless it has concluded a merge, which cannot be begun again. */
async function sign(
  settings: NonNullable<GitOptions["settings"]>,
  before: { readonly commit: string | undefined } | "stays",
  repository: Repository,
  context: GitContext,
): Promise<void> {
  const takeBack = async () => {
    const signal = AbortSignal.timeout(takeBackMs);
    if (before !== "stays") await takeBackCommit(before.commit, repository, { ...context, signal });
  };
  const complaint = await signLastCommit(settings, repository, context).catch(async (error) => {
    await takeBack();
    throw error;
  });
  if (complaint === undefined) return;
  await takeBack();
  throw new ToolError("unavailable", "git could not sign the commit, as the person's settings ask for", {
    hint:
      before === "stays"
        ? "It is made without: `git commit --amend --no-edit -S` signs it, once the person's key can be used."
        : "Nothing is committed. Ask the person: their key may need its passphrase.",
    output: complaint,
  });
}

const takeBackMs = 30_000;

function failed(result: GitResult, hooks: Hooks): ToolError {
  const { stderr, code } = result;
  if (hooks.run.length === 0) return explainFailure(stderr, code);
  const known = knownFailure(stderr, code);
  if (known !== undefined) return known;
  return new ToolError("denied", "A hook of the repository refused the commit", {
    hint: "Nothing is committed. Put right what it says, git.stage it and commit again.",
    output: outputOf(result),
  });
}

function outputOf({ stdout, stderr }: GitResult): string {
  return printable(`${stdout.toString()}${stderr}`.slice(-maxOutput));
}

const maxOutput = 5000;

/** Requires the author from git's own settings; never guesses one from the names of the user and the machine. */
async function requireAuthor(repository: Repository, context: GitContext): Promise<void> {
  const { code, stderr } = await runGit(repository, ["var", "GIT_COMMITTER_IDENT"], context, {
    settings: authorSettings,
  });
  if (code === 0) return;
  const isEmail = !/empty ident name|no name was given/.test(stderr);
  throw new ToolError(
    "unavailable",
    `git does not know who commits: user.${isEmail ? "email" : "name"} is not set`,
    {
      hint: 'Ask the person to run: git config --global user.name "Their Name" && git config --global user.email their@address',
    },
  );
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
