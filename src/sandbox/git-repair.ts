import { lstatSync, readlinkSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { attempt, statsAt } from "../system/attempt.ts";
import { atPinnedPath, changeAt, contentAt } from "../system/pinned-path.ts";

/**
 * Watches a link, on which nothing can be mounted, so that a command can replace it. The returned function restores the
 * link and renames its replacement. It returns a remark, or "" when the link is unchanged.
 */
export function watchLink(path: string): () => string {
  // The cheap check comes first, because most paths are not links.
  const target = statsAt(path)?.isSymbolicLink() ? atPinnedPath(path, targetOf) : undefined;
  if (target === undefined) return () => "";
  const notRestored = (why: string) =>
    `The command replaced the link ${path}, and it could not be restored: ${why}.`;
  return () => {
    try {
      const restored = atPinnedPath(path, (pinned) => restoreLink(pinned, target, path));
      return restored ?? notRestored("its directory is gone");
    } catch (error) {
      return notRestored((error as Error).message);
    }
  };
}

function restoreLink(pinned: string, target: string, path: string): string {
  if (targetOf(pinned) === target) return "";
  const aside = freeName(`${pinned}.replaced`);
  const isReplaced = lstatSync(pinned, { throwIfNoEntry: false }) !== undefined;
  if (isReplaced) renameSync(pinned, aside);
  symlinkSync(target, pinned);
  const found = isReplaced ? ` Its replacement is now ${join(dirname(path), basename(aside))}.` : "";
  return `The command replaced the link ${path}, which was restored.${found}`;
}

function targetOf(pinned: string): string | undefined {
  return attempt(() => readlinkSync(pinned));
}

/** Returns the path, with a number added if it exists. */
export function freeName(path: string): string {
  for (let number = 0; ; number++) {
    const name = number === 0 ? path : `${path}-${number}`;
    if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
  }
}

const maxBytes = 1024 * 1024;

/**
 * Watches a git settings file. When it is replaced outside, as git itself does, a running command can write to it until
 * it is stopped. The returned function restores the file if it was replaced and its new settings may run programs. It
 * returns a remark, or "" when nothing was restored.
 */
export function watchGitSettings(path: string): () => string {
  const before = atPinnedPath(path, readSettings);
  if (before === undefined) return () => "";
  return () => atPinnedPath(path, (pinned) => changeAt(pinned, () => settle(path, pinned, before))) ?? "";
}

interface SettingsFile {
  readonly identity: string;
  readonly mode: number;
  readonly text: string;
}

function readSettings(pinned: string): SettingsFile | undefined {
  const stats = lstatSync(pinned, { throwIfNoEntry: false });
  const bytes = stats?.isFile() ? contentAt(pinned, maxBytes) : undefined;
  if (stats === undefined || bytes === undefined) return undefined;
  const text = Buffer.from(bytes).toString("latin1");
  return { identity: `${stats.dev}:${stats.ino}`, mode: stats.mode & 0o777, text };
}

function settle(path: string, pinned: string, before: SettingsFile): string {
  if (lstatSync(pinned, { throwIfNoEntry: false }) === undefined) return "";
  const now = readSettings(pinned);
  if (now !== undefined && (now.identity === before.identity || addsOnlyHarmless(before.text, now.text)))
    return "";
  const id = Math.random().toString(36).slice(2, 8);
  writeFileSync(`${pinned}.${id}`, before.text, { flag: "wx", mode: before.mode, encoding: "latin1" });
  renameSync(pinned, `${pinned}.replaced-${id}`);
  renameSync(`${pinned}.${id}`, pinned);
  return `${path} was replaced while the command ran, and its new settings may run programs. It was restored; the other version is ${path}.replaced-${id}. Tell the user.`;
}

/** Whether all new settings are harmless. Lines that git itself would not write are not. */
function addsOnlyHarmless(before: string, after: string): boolean {
  if (before === after) return true;
  const [old, found] = [parseGitSettings(before), parseGitSettings(after)];
  if (old === undefined || found === undefined) return false;
  const asText = ({ section, key, value }: Setting) => `${section}.${key} = ${value}`;
  const known = new Set(old.map(asText));
  return found.every((setting) => known.has(asText(setting)) || isHarmless(setting, old));
}

export interface Setting {
  /** The section with its name: `remote.origin`. */
  readonly section: string;
  readonly key: string;
  readonly value: string;
}

/** Whether a setting names no program and redirects nothing that existed before. */
function isHarmless({ section, key, value }: Setting, old: readonly Setting[]): boolean {
  const isThere = (other: string) => old.some((setting) => setting.section === other);
  const [kind, name] = section.split(".", 2);
  if (name === undefined) return harmless.test(`${section}.${key}`);
  // In an address, `ext::` names a program.
  if (isThere(section) || value.includes("::")) return false;
  if (kind === "remote") return ["url", "fetch", "tagopt", "prune"].includes(key);
  if (kind === "submodule") return ["url", "active"].includes(key);
  if (kind !== "branch") return false;
  return key === "remote"
    ? value === "." || isThere(`remote.${value}`)
    : ["merge", "rebase", "description"].includes(key);
}

const harmless =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)|user\.(?:name|email)|(?:advice|color|pull|push|rebase)\.\w+)$/;

/** Parses settings in the format that git itself writes; undefined for any other text. */
export function parseGitSettings(text: string): readonly Setting[] | undefined {
  const settings: Setting[] = [];
  let section = "";
  for (const line of text.split("\n")) {
    const header = /^\[([\w.-]+)(?: "([^"\\\]]+)")?\]$/.exec(line);
    const [, key, value] = /^\t([\w-]+) = ([^\\]*)$/.exec(line) ?? [];
    if (header !== null) section = [header[1]!.toLowerCase(), header[2]].filter(Boolean).join(".");
    else if (key !== undefined && value !== undefined)
      settings.push({ section, key: key.toLowerCase(), value });
    else if (line !== "") return undefined;
  }
  return settings;
}

/**
 * Watches the top of a workspace: git treats a directory as a repository when it has no valid `.git` and is bare, and
 * obeys its `config`. If a command has created them, the returned function renames HEAD. It returns a
 * remark, or "" when nothing was renamed.
 */
export function watchForBareRepository(workspace: string): () => string {
  if (isBare(workspace)) return () => "";
  return () => {
    if (!isBare(workspace)) return "";
    const made = `The command turned ${workspace} itself into a repository, whose settings git would obey`;
    try {
      const name = atPinnedPath(join(workspace, "HEAD"), (pinned) => {
        const free = freeName(`${pinned}.renamed`);
        renameSync(pinned, free);
        return basename(free);
      });
      return `${made}. HEAD was renamed to ${name}.`;
    } catch (error) {
      return `${made}. HEAD could not be renamed (${(error as Error).message}). Remove it.`;
    }
  };
}

export function isBare(directory: string): boolean {
  return hasBareNames((name) => statsAt(join(directory, name)) !== undefined);
}

/** Whether git takes a directory with these names for a repository: `commondir` replaces the other two. */
export function hasBareNames(has: (name: string) => boolean): boolean {
  return has("HEAD") && (has("commondir") || (has("objects") && has("refs")));
}
