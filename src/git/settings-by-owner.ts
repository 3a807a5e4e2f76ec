import { type GitContext, outputOfGit, type Repository } from "./run-git.ts";

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

/** The one that counts. */
export function settingOf(settings: readonly Setting[], key: string): Setting | undefined {
  return settings.findLast((setting) => setting.key === key);
}
