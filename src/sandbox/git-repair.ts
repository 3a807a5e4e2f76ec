import { randomBytes } from "node:crypto";
import { lstatSync, readlinkSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { atPinnedPath, changeAt, contentAt } from "../system/pinned-path.ts";

/**
 * Nothing can be mounted on a link, so a command can replace `.git` where it is one. The returned function restores the
 * link, and keeps what replaced it under another name. It returns a remark, or "" when nothing was changed.
 */
export function watchLink(path: string): () => string {
  const target = isLink(path) ? atPinnedPath(path, targetOf) : undefined;
  if (target === undefined) return () => "";
  return () => {
    try {
      return (
        atPinnedPath(path, (place) => putBack(place, target, path)) ?? notPutBack("its directory is gone")
      );
    } catch (error) {
      return notPutBack((error as Error).message);
    }
  };

  function notPutBack(why: string): string {
    return `The command replaced the link ${path}, and it could not be put back: ${why}.`;
  }
}

function putBack(place: string, target: string, path: string): string {
  if (targetOf(place) === target) return "";
  const aside = freeName(`${place}.replaced`);
  const isSomething = lstatSync(place, { throwIfNoEntry: false }) !== undefined;
  if (isSomething) renameSync(place, aside);
  symlinkSync(target, place);
  const found = isSomething ? `, and ${join(dirname(path), basename(aside))} is what the command made` : "";
  return `The command replaced the link ${path}: it was put back${found}.`;
}

/** Checked first because pinning the directory costs more, and most are not links. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    return false;
  }
}

function targetOf(place: string): string | undefined {
  try {
    return readlinkSync(place);
  } catch {
    return undefined;
  }
}

/** The path itself, or with a number where it is taken. */
function freeName(path: string): string {
  for (let number = 0; ; number++) {
    const name = number === 0 ? path : `${path}-${number}`;
    if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
  }
}

const maxBytes = 1024 * 1024;

/**
 * Replacing a file of git's settings outside, as git itself does, uncovers it in a running sandbox: the command can write
 * to it until it is ended. The returned function restores the file if it has settings by then that the command may have
 * written. It returns a remark, or "" when nothing was changed.
 */
export function watchGitSettings(path: string): () => string {
  const before = atPinnedPath(path, standing);
  if (before === undefined) return () => "";
  return () => atPinnedPath(path, (place) => changeAt(place, () => settle(path, place, before))) ?? "";
}

interface Standing {
  readonly identity: string;
  readonly mode: number;
  readonly text: string;
}

function standing(place: string): Standing | undefined {
  const stats = lstatSync(place, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) return undefined;
  const bytes = contentAt(place, maxBytes);
  if (bytes === undefined) return undefined;
  const text = Buffer.from(bytes).toString("latin1");
  return { identity: `${stats.dev}:${stats.ino}`, mode: stats.mode & 0o777, text };
}

function settle(path: string, place: string, before: Standing): string {
  if (lstatSync(place, { throwIfNoEntry: false }) === undefined) return "";
  const now = standing(place);
  if (now !== undefined && (now.identity === before.identity || addsOnlyHarmless(before.text, now.text)))
    return "";
  const id = randomBytes(3).toString("hex");
  writeFileSync(`${place}.${id}`, before.text, { flag: "wx", mode: before.mode, encoding: "latin1" });
  renameSync(place, `${place}.replaced-${id}`);
  renameSync(`${place}.${id}`, place);
  return `${path} was replaced while the command ran, and has settings now that may be the command's and may run programs: it was put back as it was before, and what was found is in ${path}.replaced-${id}. Tell the person.`;
}

/** Understands only what git itself writes: any other spelling may mean anything. */
function addsOnlyHarmless(before: string, after: string): boolean {
  if (before === after) return true;
  const [old, found] = [settingsIn(before), settingsIn(after)];
  if (old === undefined || found === undefined) return false;
  const known = new Set(old.map(asText));
  return found.every((setting) => known.has(asText(setting)) || isHarmless(setting, old));
}

interface Setting {
  /** With its name: `remote.origin`. */
  readonly section: string;
  readonly key: string;
  readonly value: string;
}

function asText({ section, key, value }: Setting): string {
  return `${section}.${key} = ${value}`;
}

/** Whether it names no program and redirects nothing that existed before. */
function isHarmless({ section, key, value }: Setting, old: readonly Setting[]): boolean {
  const isThere = (other: string) => old.some((setting) => setting.section === other);
  const [kind, name] = section.split(".", 2);
  if (name === undefined) return harmless.test(`${section}.${key}`);
  // Instead of an address, `ext::` names a program.
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

/** Undefined when a line is not one that git writes. */
function settingsIn(text: string): readonly Setting[] | undefined {
  const settings: Setting[] = [];
  let section = "";
  for (const line of text.split("\n")) {
    const header = /^\[([\w.-]+)(?: "([^"\\\]]+)")?\]$/.exec(line);
    const [, key, value] = /^\t(\w+) = ([^\\]*)$/.exec(line) ?? [];
    if (header !== null) section = [header[1]!.toLowerCase(), header[2]].filter(Boolean).join(".");
    else if (key !== undefined && value !== undefined)
      settings.push({ section, key: key.toLowerCase(), value });
    else if (line !== "") return undefined;
  }
  return settings;
}

/**
 * Git takes a directory that contains HEAD, objects and refs for a repository when it has no valid `.git`, and obeys the
 * `config` in it. A command may create each of them. If all exist by its end, and did not before, the returned function
 * renames HEAD. It returns a remark, or "" when nothing was changed.
 */
export function watchForBareRepository(workspace: string): () => string {
  if (isBare(workspace)) return () => "";
  return () => {
    if (!isBare(workspace)) return "";
    const head = join(workspace, "HEAD");
    try {
      const name = atPinnedPath(head, (place) => {
        const free = freeName(`${place}.renamed`);
        renameSync(place, free);
        return basename(free);
      });
      return `${made(workspace)}: HEAD is called ${name} now.`;
    } catch (error) {
      return `${made(workspace)}: remove HEAD (${(error as Error).message}).`;
    }
  };
}

function made(workspace: string): string {
  return `The command made ${workspace} itself a repository, whose settings git would obey`;
}

export function isBare(directory: string): boolean {
  return ["HEAD", "objects", "refs"].every((name) => {
    try {
      return lstatSync(join(directory, name), { throwIfNoEntry: false }) !== undefined;
    } catch {
      return false;
    }
  });
}
