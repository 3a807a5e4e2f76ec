import { homedir } from "node:os";
import { posix } from "node:path";
import type { Environment } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import { undefinedUnlessExhausted } from "../lib/exhaustion.ts";
import { showPath } from "../lib/text/printable.ts";
import {
  type GitContext,
  type GitOptions,
  outputOfGit,
  outputOfProgram,
  type Repository,
} from "./run-git.ts";

export interface Hooks {
  readonly options: Pick<GitOptions, "settings" | "env" | "readable">;
  readonly run: readonly string[];
  readonly skipped: readonly string[];
  readonly note: string | undefined;
}

const hooksOf = {
  stage: "post-index-change",
  commit:
    "pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit post-rewrite reference-transaction post-index-change",
  branch: "reference-transaction",
  switch: "post-checkout reference-transaction post-index-change",
} as const;

/**
 * Decides which hooks run. A hook runs only if `git hook run NAME` may run without approval, and only from a folder that
 * tools cannot write: the repository's own folder of hooks, which is protected, or one from the user's settings.
 */
export async function hooksFor(action: keyof typeof hooksOf, repository: Repository): Promise<Hooks> {
  const { mayRun } = repository.environment.confinement ?? {};
  const { directory, isInWorkspace, isTrusted, isForeign } = await hooksFolder(repository);
  const outside = `No hooks were run: the repository's settings name a folder outside, ${showPath(directory)}.`;
  if (isForeign) return without([], outside);
  const possible = hooksOf[action].split(" ");
  const names =
    (isInWorkspace ? await programsAmong(possible, directory, repository) : undefined) ??
    (await namesIn(directory, repository));
  const present = possible.filter((name) => names.includes(name));
  if (present.length === 0) return without([], undefined);
  const named = `Not run: the ${present.length === 1 ? "hook" : "hooks"} ${present.join(", ")}`;
  if (!isTrusted)
    return without(present, `${named} in ${showPath(directory)}, where tools may write without approval.`);
  for (const name of present) {
    if (await mayRun?.(`git hook run ${name}`)) continue;
    const rules = await rulesToRun("git hook run *", repository.environment);
    return without(present, `${named}. To allow it, add ${rules}.`);
  }
  return {
    run: present,
    skipped: [],
    note: undefined,
    options: {
      settings: { "core.hooksPath": directory },
      readable: [directory],
      // Unlike our own git calls, hooks may use path patterns and need a UTF-8 locale.
      env: { GIT_LITERAL_PATHSPECS: "0", LC_ALL: "C.UTF-8" },
    },
  };
}

function without(skipped: readonly string[], note: string | undefined): Hooks {
  return { run: [], skipped, note, options: {} };
}

interface HooksFolder {
  readonly directory: string;
  readonly isInWorkspace: boolean;
  readonly isTrusted: boolean;
  readonly isForeign?: boolean;
}

async function hooksFolder(repository: Repository): Promise<HooksFolder> {
  const { environment } = repository;
  const setting = settingOf(await settingsByOwner(repository), "core.hookspath");
  const isNamed = setting !== undefined && setting.value !== "";
  const named = isNamed
    ? posix.resolve(repository.top, setting.value.replace(/^~(?=\/|$)/, homedir()))
    : posix.join(repository.commonDirectory, "hooks");
  const real = await environment.realPath(named).catch(undefinedUnlessExhausted);
  // No tool writes outside the workspace without approval, but only the user's settings or git may name such a folder.
  if (real === undefined) {
    const isForeign = setting?.from === "repository";
    return { directory: named, isInWorkspace: false, isTrusted: !isForeign, isForeign };
  }
  const isTrusted = environment.confinement?.isReadOnlyByRules?.(real) === true;
  return { directory: real, isInWorkspace: true, isTrusted };
}

/** Returns the names that are programs in a directory of the workspace; undefined if one of them is a link. */
async function programsAmong(
  names: readonly string[],
  path: string,
  { environment }: GitContext,
): Promise<readonly string[] | undefined> {
  const directory = await environment.openDirectory(path).catch((error: unknown) => {
    if (error instanceof ToolError && error.code === "not-found") return undefined;
    throw error;
  });
  if (directory === undefined) return [];
  const found: string[] = [];
  try {
    for (const { name, kind } of await directory.entries()) {
      if (!names.includes(name)) continue;
      if (kind === "link") return undefined;
      if (kind === "file" && ((await directory.info(name)).mode & 0o111) !== 0) found.push(name);
    }
  } finally {
    directory.close();
  }
  return found;
}

/** Lists the programs in a directory, which may be outside the workspace. */
async function namesIn(directory: string, context: GitContext): Promise<readonly string[]> {
  const listed = await outputOfProgram("ls", ["-1LF", "--", directory], context);
  return listed.split("\n").flatMap((name) => (name.endsWith("*") ? name.slice(0, -1) : []));
}

/** Returns the rules that allow a command without approval, as a part of a sentence. */
export async function rulesToRun(
  command: string,
  { sandbox }: Pick<Environment, "sandbox">,
): Promise<string> {
  const rule = `"allow run ${command}"`;
  const { level } = (await sandbox?.()) ?? { level: "none" };
  return level === "none"
    ? `the rules ${rule} and, without a sandbox, "unconfined run ${command}"`
    : `the rule ${rule}`;
}

export interface Setting {
  /** Section and name in lower case. */
  readonly key: string;
  readonly value: string;
  readonly from: "user" | "repository";
}

/** Returns all settings of git's files, in order; the last of a key wins. Reads them once per call. */
export function settingsByOwner(repository: Repository): Promise<readonly Setting[]> {
  const settings = known.get(repository) ?? readSettings(repository);
  known.set(repository, settings);
  return settings;
}

const known = new WeakMap<Repository, Promise<readonly Setting[]>>();

async function readSettings(repository: Repository): Promise<readonly Setting[]> {
  const args = ["config", "--list", "-z", "--show-scope"];
  const listing = repository.listing ?? (await outputOfGit(repository, args)).toString();
  const fields = listing.split("\0");
  const found: Setting[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const scope = fields[at]!;
    if (scope === "command") continue;
    const [, key = "", value = "true"] = /^([^\n]*)(?:\n(.*))?$/s.exec(fields[at + 1]!) ?? [];
    found.push({ key, value, from: scope === "system" || scope === "global" ? "user" : "repository" });
  }
  return found;
}

export function settingOf(settings: readonly Setting[], key: string): Setting | undefined {
  return settings.findLast((setting) => setting.key === key);
}
