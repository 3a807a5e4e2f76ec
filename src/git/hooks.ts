import { homedir } from "node:os";
import { posix } from "node:path";
import type { Environment } from "../contract/environment.ts";
import { showPath } from "../lib/text/printable.ts";
import { complaintOf, type GitContext, type GitOptions, outputOfGit, type Repository } from "./run-git.ts";

export interface Hooks {
  /** For running it: with the hooks, or without any. */
  readonly options: Pick<GitOptions, "settings" | "env" | "readable">;
  readonly run: readonly string[];
  readonly skipped: readonly string[];
  readonly note: string | undefined;
}

/** The hooks that git runs by itself when it does something. */
const hooksOf = {
  stage: ["post-index-change"],
  commit: [
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "post-rewrite",
    "reference-transaction",
    "post-index-change",
  ],
  branch: ["reference-transaction"],
  switch: ["post-checkout", "reference-transaction", "post-index-change"],
} as const;

/**
 * Hooks run where rules or the mode let each of them run, `git hook run NAME`, and only from places that nobody but a person
 * changes: the repository's own folder of hooks, which is protected, or one that the person's settings name.
 */
export async function hooksFor(
  deed: keyof typeof hooksOf,
  repository: Repository,
  context: GitContext,
): Promise<Hooks> {
  const { mayRun } = context.environment.confinement ?? {};
  const { directory, isTrusted, isForeign } = await hooksPlace(repository, context);
  if (isForeign)
    return without(
      [],
      `No hooks were run: the repository's settings look for them outside, in ${showPath(directory)}.`,
    );
  const names = await namesIn(directory, context);
  const present = hooksOf[deed].filter((name) => names.includes(name));
  if (present.length === 0) return without([], undefined);
  const named = `Not run: the ${present.length === 1 ? "hook" : "hooks"} ${present.join(", ")}`;
  if (!isTrusted)
    return without(present, `${named} in ${showPath(directory)}, where tools may write unasked.`);
  for (const name of present) {
    if (await mayRun?.(`git hook run ${name}`)) continue;
    const rules = await rulesToRun("git hook run *", context.environment);
    return without(present, `${named}. It takes ${rules}.`);
  }
  return {
    run: present,
    skipped: [],
    note: undefined,
    options: {
      settings: { "core.hooksPath": directory },
      readable: [directory],
      // Hooks have patterns and words of their own.
      env: { GIT_LITERAL_PATHSPECS: "0", LC_ALL: "C.UTF-8" },
    },
  };
}

function without(skipped: readonly string[], note: string | undefined): Hooks {
  return { run: [], skipped, note, options: {} };
}

async function hooksPlace(
  repository: Repository,
  context: GitContext,
): Promise<{ readonly directory: string; readonly isTrusted: boolean; readonly isForeign?: boolean }> {
  const { environment } = context;
  const setting = settingOf(await settingsByOwner(repository, context), "core.hookspath");
  const isNamed = setting !== undefined && setting.value !== "";
  const named = isNamed
    ? posix.resolve(repository.top, setting.value.replace(/^~(?=\/|$)/, homedir()))
    : posix.join(repository.commonDirectory, "hooks");
  const real = await environment.realPath(named).catch(() => undefined);
  // Outside the workspace no tool writes unasked; but only the person, or git itself, may have named it.
  if (real === undefined) {
    const isForeign = setting?.from === "repository";
    return { directory: named, isTrusted: !isForeign, isForeign };
  }
  return { directory: real, isTrusted: environment.confinement?.isReadOnly?.(real) === true };
}

/** Names of the programs in a directory, which may lie outside the workspace. */
async function namesIn(directory: string, { environment, signal }: GitContext): Promise<readonly string[]> {
  const process = await environment.start("ls", {
    args: ["-1LF", "--", directory],
    env: { LC_ALL: "C" },
    confinement: "ours",
    signal,
  });
  const complaint = complaintOf(process);
  let listed = "";
  for await (const piece of process.stdout) if (listed.length < maxListed) listed += Buffer.from(piece);
  await Promise.all([complaint, process.exit]);
  return listed.split("\n").flatMap((name) => (name.endsWith("*") ? name.slice(0, -1) : []));
}

const maxListed = 1024 * 1024;

/** What a person would have to write for a command to run unasked, to be named in a sentence. */
export async function rulesToRun(
  command: string,
  { sandbox }: Pick<Environment, "sandbox">,
): Promise<string> {
  const rule = `"allow run ${command}"`;
  const { level } = (await sandbox?.()) ?? { level: "none" };
  return level === "none"
    ? `the rules ${rule} and, as there is no sandbox, "unconfined run ${command}"`
    : `the rule ${rule}`;
}

/** One setting as files of settings have it, and whose file that is. */
export interface Setting {
  /** Section and name in lower case. */
  readonly key: string;
  readonly value: string;
  readonly from: "person" | "repository";
}

/** All of them in the order in which they count; the last of a key wins. Ours are left out. Read once for a call. */
export function settingsByOwner(repository: Repository, context: GitContext): Promise<readonly Setting[]> {
  const settings = known.get(repository) ?? readSettings(repository, context);
  known.set(repository, settings);
  return settings;
}

const known = new WeakMap<Repository, Promise<readonly Setting[]>>();

async function readSettings(repository: Repository, context: GitContext): Promise<readonly Setting[]> {
  const listing = await outputOfGit(repository, ["config", "--list", "-z", "--show-scope"], context);
  const fields = listing.toString().split("\0");
  const found: Setting[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const scope = fields[at]!;
    if (scope === "command") continue;
    const [, key = "", value = "true"] = /^([^\n]*)(?:\n(.*))?$/s.exec(fields[at + 1]!) ?? [];
    found.push({ key, value, from: scope === "system" || scope === "global" ? "person" : "repository" });
  }
  return found;
}

export function settingOf(settings: readonly Setting[], key: string): Setting | undefined {
  return settings.findLast((setting) => setting.key === key);
}
