import { type Setting, settingOf } from "./hooks.ts";
import { type GitOptions, outputOfGit, type Repository, runGit } from "./run-git.ts";
import { writeGit } from "./write-git.ts";

/**
 * Replaces the last commit with the same one, signed. A signature needs the user's keys, which no sandbox has. So git
 * writes the object outside the sandbox, and moves the branch inside, where no link can redirect it. Returns git's
 * error if it could not sign, and leaves the commit as it was.
 */
export async function signLastCommit(
  settings: NonNullable<GitOptions["settings"]>,
  repository: Repository,
): Promise<string | undefined> {
  const last = (await outputOfGit(repository, ["rev-parse", "--verify", "HEAD^{commit}"])).toString().trim();
  const whole = await outputOfGit(repository, ["cat-file", "commit", last]);
  const end = whole.indexOf("\n\n");
  const head = whole.subarray(0, end).toString();
  const valuesOf = (field: string) =>
    Array.from(head.matchAll(new RegExp(`^${field} (.*)$`, "gm")), ([, value]) => value!);
  const [tree = ""] = valuesOf("tree");
  const args = ["commit-tree", "-S", tree, ...valuesOf("parent").flatMap((parent) => ["-p", parent])];
  const signed = await runGit(repository, args, {
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
  await moveHead(hash, last, "commit: sign it", repository);
  return undefined;
}

/** Moves HEAD's branch back: the changes of the last commit are staged again. */
export async function undoCommit(before: string | undefined, repository: Repository): Promise<void> {
  const last = (await outputOfGit(repository, ["rev-parse", "HEAD"])).toString().trim();
  if (before !== undefined) return moveHead(before, last, "commit: not signed", repository);
  await writeGit(repository, ["update-ref", "-d", "HEAD", last], { leavesFiles: true });
}

async function moveHead(to: string, from: string, why: string, repository: Repository): Promise<void> {
  await writeGit(repository, ["update-ref", "-m", why, "HEAD", to, from], { leavesFiles: true });
}

/** Converts "Ada <ada@example.org> 1767225600 +0100" to variables. */
function identity(who: "AUTHOR" | "COMMITTER", line = ""): Readonly<Record<string, string>> {
  const [, name = "", email = "", date = ""] = /^(.*?) ?<(.*)> (\d+ [+-]\d+)$/.exec(line) ?? [];
  return { [`GIT_${who}_NAME`]: name, [`GIT_${who}_EMAIL`]: email, [`GIT_${who}_DATE`]: `@${date}` };
}

/** How a commit is signed, or why it is not although the settings require it. */
type Signing =
  | { readonly isSigned: true; readonly settings: Readonly<Record<string, undefined>> }
  | { readonly isSigned: false; readonly note?: string };

/**
 * Decides whether a commit is signed, by the user's own settings, not the repository's. A signature needs the user's keys,
 * which no sandbox has: together with hooks, which run in one, nothing is signed.
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
      note: `Not signed: the repository sets ${foreign.key}, and only the user's own settings may decide about signing.`,
    };
  if (areHooksRun)
    return {
      isSigned: false,
      note: "Not signed: hooks ran in the sandbox, which has no keys. To sign it: git commit --amend --no-edit -S",
    };
  return { isSigned: true, settings: signingSettings };
}

function isAboutSigning(key: string): boolean {
  return key === "commit.gpgsign" || key === "user.signingkey" || key.startsWith("gpg.");
}

const signingSettings: Readonly<Record<string, undefined>> = Object.fromEntries(
  "commit.gpgSign gpg.program gpg.openpgp.program gpg.x509.program gpg.ssh.program gpg.ssh.defaultKeyCommand"
    .split(" ")
    .map((key) => [key, undefined]),
);

function isTrue(value: string): boolean {
  return /^(?:true|yes|on|[1-9]\d*)$/i.test(value);
}
