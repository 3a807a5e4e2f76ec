import { type Setting, settingOf } from "./hooks.ts";
import { type GitContext, type GitOptions, outputOfGit, type Repository, runGit } from "./run-git.ts";
import { writeGit } from "./write-git.ts";

/**
 * Puts the same commit with a signature in the place of the last one. A signature needs the person's keys, which no sandbox
 * has: outside of it git writes an object, and no file that a process in the workspace could have exchanged for a link; the
 * branch is moved inside. Gives what git complained of where it could not sign, and leaves the commit as it was.
 */
export async function signLastCommit(
  settings: NonNullable<GitOptions["settings"]>,
  repository: Repository,
  context: GitContext,
): Promise<string | undefined> {
  const last = (await outputOfGit(repository, ["rev-parse", "--verify", "HEAD^{commit}"], context))
    .toString()
    .trim();
  const whole = await outputOfGit(repository, ["cat-file", "commit", last], context);
  const end = whole.indexOf("\n\n");
  const head = whole.subarray(0, end).toString();
  const valuesOf = (field: string) =>
    Array.from(head.matchAll(new RegExp(`^${field} (.*)$`, "gm")), ([, value]) => value!);
  const [tree = ""] = valuesOf("tree");
  const words = ["commit-tree", "-S", tree, ...valuesOf("parent").flatMap((parent) => ["-p", parent])];
  const signed = await runGit(repository, words, context, {
    use: "write",
    input: whole.subarray(end + 2),
    settings,
    env: {
      ...identity("AUTHOR", valuesOf("author")[0]),
      ...identity("COMMITTER", valuesOf("committer")[0]),
    },
  });
  if (signed.code !== 0) return signed.stderr;
  const hash = signed.stdout.toString().trim();
  await moveHead(hash, last, "commit: sign it", repository, context);
  return undefined;
}

/** Makes HEAD's branch what it was before the last commit: what that held is staged again. */
export async function takeBackCommit(
  before: string | undefined,
  repository: Repository,
  context: GitContext,
): Promise<void> {
  const last = (await outputOfGit(repository, ["rev-parse", "HEAD"], context)).toString().trim();
  if (before !== undefined) return moveHead(before, last, "commit: not signed", repository, context);
  await writeGit(repository, ["update-ref", "-d", "HEAD", last], context, { leavesFiles: true });
}

async function moveHead(
  to: string,
  from: string,
  why: string,
  repository: Repository,
  context: GitContext,
): Promise<void> {
  await writeGit(repository, ["update-ref", "-m", why, "HEAD", to, from], context, { leavesFiles: true });
}

/** "Ada <ada@example.org> 1767225600 +0100", as variables. */
function identity(who: "AUTHOR" | "COMMITTER", line = ""): Readonly<Record<string, string>> {
  const [, name = "", email = "", date = ""] = /^(.*?) ?<(.*)> (\d+ [+-]\d+)$/.exec(line) ?? [];
  return { [`GIT_${who}_NAME`]: name, [`GIT_${who}_EMAIL`]: email, [`GIT_${who}_DATE`]: `@${date}` };
}

/** How a commit is signed, or why it is not although settings ask for it. */
type Signing =
  | { readonly isSigned: true; readonly settings: Readonly<Record<string, undefined>> }
  | { readonly isSigned: false; readonly note?: string };

/**
 * A signature is the person's: that there is one, its program and its key are for their own settings to say, not for the
 * repository's. It needs their keys, which no sandbox has: beside hooks, which run in one, nothing is signed.
 */
export function signingBy(
  settings: readonly Setting[],
  { areHooksRun }: { readonly areHooksRun: boolean },
): Signing {
  const asked = settingOf(settings, "commit.gpgsign");
  if (asked === undefined || !isTrue(asked.value)) return { isSigned: false };
  const foreign = settings.find(({ key, from }) => from === "repository" && isAboutSigning(key));
  if (foreign !== undefined)
    return {
      isSigned: false,
      note: `Not signed: ${foreign.key} is set by the repository, and signing is only for the person's own settings.`,
    };
  if (areHooksRun)
    return {
      isSigned: false,
      note: "Not signed: hooks ran in the sandbox, where no key is. `git commit --amend --no-edit -S` signs it.",
    };
  return { isSigned: true, settings: asTheFilesSay };
}

function isAboutSigning(key: string): boolean {
  return key === "commit.gpgsign" || key === "user.signingkey" || key.startsWith("gpg.");
}

/** What is else turned off for every command. */
const asTheFilesSay = {
  "commit.gpgSign": undefined,
  "gpg.program": undefined,
  "gpg.openpgp.program": undefined,
  "gpg.x509.program": undefined,
  "gpg.ssh.program": undefined,
  "gpg.ssh.defaultKeyCommand": undefined,
} as const;

function isTrue(value: string): boolean {
  return /^(?:true|yes|on|[1-9]\d*)$/i.test(value);
}
