import { randomBytes } from "node:crypto";
import { lstatSync, readlinkSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { atRealPlace, changeAt, contentAt } from "../system/pinning/at-real-place.ts";

/**
 * Nothing can be mounted on a link, so that a command may exchange `.git` where it is one. Then it is put back, and what
 * came in its place stays beside it. Tells what was done, if anything.
 */
export function watchLink(path: string): () => string {
  const target = isLink(path) ? atRealPlace(path, targetOf) : undefined;
  if (target === undefined) return () => "";
  return () => {
    try {
      return (
        atRealPlace(path, (place) => putBack(place, target, path)) ?? notPutBack("its directory is gone")
      );
    } catch (error) {
      return notPutBack((error as Error).message);
    }
  };

  function notPutBack(why: string): string {
    return `The command replaced the link ${path}, and it could not be put back: ${why}.`;
  }
}

/** What was done, or nothing. */
function putBack(place: string, target: string, path: string): string {
  if (targetOf(place) === target) return "";
  const aside = freeName(`${place}.replaced`);
  const isSomething = lstatSync(place, { throwIfNoEntry: false }) !== undefined;
  if (isSomething) renameSync(place, aside);
  symlinkSync(target, place);
  const found = isSomething ? `, and ${join(dirname(path), basename(aside))} is what the command made` : "";
  return `The command replaced the link ${path}: it was put back${found}.`;
}

/** Mostly it is none, and to hold its directory costs more than a look. */
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

/** This one, or one with a number where that is taken. */
function freeName(path: string): string {
  for (let number = 0; ; number++) {
    const name = number === 0 ? path : `${path}-${number}`;
    if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
  }
}

const maxBytes = 1024 * 1024;

/**
 * Whoever replaces a file of git's settings outside, as git itself does, uncovers it in a sandbox that runs: then a command
 * can write in it until it is ended. What is called does away with what it may have written, and tells; nothing, if nothing
 * happened.
 */
export function watchGitSettings(path: string): () => string {
  const before = atRealPlace(path, standing);
  if (before === undefined) return () => "";
  return () => atRealPlace(path, (place) => changeAt(place, () => settle(path, place, before))) ?? "";
}

interface Standing {
  readonly identity: string;
  readonly mode: number;
  readonly text: string;
}

/** A file only. */
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

/** By what git writes itself: whatever is spelt otherwise may mean anything. */
function addsOnlyHarmless(before: string, after: string): boolean {
  if (before === after) return true;
  const [old, found] = [settingsIn(before), settingsIn(after)];
  if (old === undefined || found === undefined) return false;
  const known = new Set(old.map(asText));
  return found.every((setting) => known.has(asText(setting)) || isHarmless(setting, old));
}

interface Setting {
  /** With the name of what it is about: `remote.origin`. */
  readonly section: string;
  readonly key: string;
  readonly value: string;
}

function asText({ section, key, value }: Setting): string {
  return `${section}.${key} = ${value}`;
}

/** Whether it names no program, and leads nothing elsewhere that was there before. */
function isHarmless({ section, key, value }: Setting, old: readonly Setting[]): boolean {
  const isThere = (other: string) => old.some((setting) => setting.section === other);
  const [kind, name] = section.split(".", 2);
  if (name === undefined) return harmless.test(`${section}.${key}`);
  // In place of an address `ext::` names a program.
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

/** Undefined when a line is none that git writes. */
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
 * Git takes a directory with these for a repository, also where it has none called `.git` or that is broken, and obeys the
 * `config` in it. A command may make each of them; when all are there by its end, and were not before, one is renamed.
 * Tells what was done, if anything.
 */
export function watchForBareRepository(workspace: string): () => string {
  if (isBare(workspace)) return () => "";
  return () => {
    if (!isBare(workspace)) return "";
    const head = join(workspace, "HEAD");
    try {
      const name = atRealPlace(head, (place) => {
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
