import { type Dir, lstatSync, mkdirSync, opendirSync, readlinkSync, rmdirSync, type Stats } from "node:fs";
import { basename, dirname } from "node:path";
import type { ChangeReceipt } from "../../../contract/environment.ts";
import { attempt } from "../../../system/attempt.ts";
import {
  danglingLink,
  errnoOf,
  isStale,
  LeadsOutside,
  notFound,
  systemError,
} from "../../../system/file-errors.ts";
import type { PinnedDirectory, Pinning } from "../../../system/pinning.ts";
import { withSlash } from "../../../system/workspace-path.ts";
import { fileInfo } from "./file-info.ts";

/** The entry that a path leads to: a name in a pinned directory. The caller closes the directory. */
export interface EntryLocation {
  /** The deepest directory that exists. */
  readonly directory: PinnedDirectory;
  /** Directories between `directory` and `name` that do not exist yet. */
  readonly missing: readonly string[];
  /** "." for the root itself. */
  readonly name: string;
  /** The stats of the entry, without following a link; undefined when it does not exist. */
  readonly stats: Stats | undefined;
}

const maxLinks = 40;

/** Follows an absolute path link by link, so that the target of a dangling link is checked too. */
export function locateEntry(
  pinning: Pinning,
  path: string,
  options: { readonly followLinks: boolean },
): EntryLocation {
  let target = path;
  for (let links = 0; links <= maxLinks; links += 1) {
    const location = look(pinning, target);
    const next = closingOnError(location.directory, () => linkToFollow(location, options));
    if (next === undefined) return location;
    location.directory.close();
    target = next;
  }
  throw systemError("ELOOP", path);
}

/** Like `locateEntry`, for an entry that must exist. */
export function locateExisting(
  pinning: Pinning,
  path: string,
  options: { readonly followLinks: boolean; readonly givenPath: string },
): EntryLocation & { readonly stats: Stats } {
  const location = locateEntry(pinning, path, options);
  if (location.stats !== undefined) return { ...location, stats: location.stats };
  try {
    throw explainMissing(pinning, path, location, options.givenPath);
  } finally {
    location.directory.close();
  }
}

export function closingOnError<Result>(directory: PinnedDirectory, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    directory.close();
    throw error;
  }
}

export function realPathOf(location: EntryLocation): string {
  if (location.name === ".") return location.directory.realPath;
  return withSlash(location.directory.realPath) + [...location.missing, location.name].join("/");
}

/** Returns the absolute paths of the missing directories above a location, parents first. */
export function missingAbove({ directory, missing }: EntryLocation): readonly string[] {
  return missing.map((_, index) => withSlash(directory.realPath) + missing.slice(0, index + 1).join("/"));
}

/** The pinned parent of a location after its missing directories were created. */
export interface MadeParent {
  readonly directory: PinnedDirectory;
  /** Returns the created directories, parents first. */
  made(): readonly ChangeReceipt[];
  undo(): void;
  close(): void;
}

/** Creates the missing directories above a location. Takes over the location's directory, unless it fails. */
export function makeParents({ directory: existing, missing }: EntryLocation): MadeParent {
  const pinned: PinnedDirectory[] = [];
  const made: MadeDirectory[] = [];
  const undo = () => {
    // A directory that is not empty stays.
    for (const one of made.toReversed()) attempt(() => isStill(one) && rmdirSync(one.parent.at(one.name)));
  };
  const close = () => {
    for (const { identity } of made.splice(0)) {
      const others = underWay.get(identity)! - 1;
      if (others === 0) underWay.delete(identity);
      else underWay.set(identity, others);
    }
    for (const directory of pinned) directory.close();
  };
  const use = (one: MadeDirectory) => {
    underWay.set(one.identity, (underWay.get(one.identity) ?? 0) + 1);
    made.push(one);
  };
  let directory = existing;
  try {
    for (const one of usedByOthers(existing)) {
      pinned.push(one.parent);
      use(one);
    }
    for (const name of missing) {
      const parent = directory;
      const isOwn = makeDirectory(parent.at(name));
      directory = parent.child(name);
      pinned.push(directory);
      const identity = directory.identity();
      if (isOwn || underWay.has(identity)) use({ parent, name, identity, isOwn });
    }
  } catch (error) {
    undo();
    close();
    throw error;
  }
  pinned.push(existing);
  const receipts = () =>
    made
      .filter(({ isOwn }) => isOwn)
      .map(({ parent, name }) => ({
        realPath: withSlash(parent.realPath) + name,
        before: undefined,
        after: fileInfo(lstatSync(parent.at(name))),
      }));
  return { directory, made: receipts, undo, close };
}

interface MadeDirectory {
  readonly parent: PinnedDirectory;
  readonly name: string;
  readonly identity: string;
  /** Whether this change has created it, not another one that is under way. */
  readonly isOwn: boolean;
}

/**
 * The directories that changes under way have created, and how many changes use each. When all of them fail, the last one
 * removes the directory: the one that has created it could not, while it was not empty.
 */
const underWay = new Map<string, number>();

/** Returns the directories at and above this one that other changes have created, parents first. */
function usedByOthers(existing: PinnedDirectory): readonly MadeDirectory[] {
  const found: MadeDirectory[] = [];
  for (let directory = existing; underWay.size > 0; ) {
    const identity = directory.identity();
    if (!underWay.has(identity)) break;
    const parent = directory.parent();
    found.unshift({ parent, name: basename(directory.realPath), identity, isOwn: false });
    directory = parent;
  }
  return found;
}

function isStill({ parent, name, identity }: MadeDirectory): boolean {
  const { dev, ino } = lstatSync(parent.at(name));
  return `${dev}:${ino}` === identity;
}

function makeDirectory(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false;
    throw error;
  }
}

function look(pinning: Pinning, target: string): EntryLocation {
  const path = target.endsWith("/") ? target.replace(/(?<=.)\/+$/, "") : target;
  const cut = path.lastIndexOf("/");
  const name = path.slice(cut + 1);
  if (path === pinning.root || name === "." || name === "..") return lookAtDirectory(pinning, path);
  const missing: string[] = [];
  let parent = path.slice(0, cut) || "/";
  let directory: PinnedDirectory;
  for (;;) {
    try {
      directory = pinning.pin(parent);
      break;
    } catch (error) {
      if (error instanceof LeadsOutside && missing.length === 0) return workspaceItself(pinning, path, error);
      if (errnoOf(error) !== "ENOENT") throw outsideBefore(pinning, parent, error);
      const part = basename(parent);
      if (part !== ".") missing.unshift(part);
      parent = dirname(parent);
    }
  }
  return closingOnError(directory, () => {
    if (missing.includes("..")) throw systemError("ENOENT", path);
    const stats = missing.length > 0 ? undefined : lstatSync(directory.at(name), { throwIfNoEntry: false });
    return { directory, missing, name, stats };
  });
}

/** Resolves a path that ends with "." or "..", or the root itself, by its real path. */
function lookAtDirectory(pinning: Pinning, path: string): EntryLocation {
  const directory = pinOrExplain(pinning, path);
  if (directory.realPath !== pinning.root) {
    directory.close();
    return look(pinning, directory.realPath);
  }
  const stats = closingOnError(directory, () => lstatSync(directory.at(".")));
  return { directory, missing: [], name: ".", stats };
}

function pinOrExplain(pinning: Pinning, path: string): PinnedDirectory {
  try {
    return pinning.pin(path);
  } catch (error) {
    throw outsideBefore(pinning, path, error);
  }
}

/** Resolves a path whose parent is outside, if it is the workspace itself. Throws `outside` for any other path. */
function workspaceItself(pinning: Pinning, path: string, outside: LeadsOutside): EntryLocation {
  try {
    return lookAtDirectory(pinning, path);
  } catch {
    throw outside;
  }
}

/** Returns the next path to follow: the target of a link at the location, or of a dangling link in its path. */
function linkToFollow(
  location: EntryLocation,
  options: { readonly followLinks: boolean },
): string | undefined {
  const [gap, ...below] = location.missing;
  if (gap === undefined) {
    if (!options.followLinks || location.stats?.isSymbolicLink() !== true) return undefined;
    return targetOf(location.directory, location.name);
  }
  const target = linkTargetIn(location.directory, gap);
  return target === undefined ? undefined : [target, ...below, location.name].join("/");
}

function targetOf(directory: PinnedDirectory, link: string): string {
  const target = readlinkSync(directory.at(link));
  return target.startsWith("/") ? target : withSlash(directory.realPath) + target;
}

/** Returns the error to throw. If a link leads outside, it says only that, and nothing about the link's target. */
function outsideBefore(pinning: Pinning, path: string, error: unknown): unknown {
  let rest = path;
  for (let links = 0; links <= maxLinks && rest !== pinning.root; ) {
    try {
      const directory = pinning.pin(dirname(rest));
      const target = closingOnError(directory, () => linkTargetIn(directory, basename(rest)));
      directory.close();
      if (target === undefined) return error;
      rest = target;
      links += 1;
    } catch (other) {
      if (other instanceof LeadsOutside) return other;
      rest = dirname(rest);
    }
  }
  return error;
}

function linkTargetIn(directory: PinnedDirectory, name: string): string | undefined {
  const stats = lstatSync(directory.at(name), { throwIfNoEntry: false });
  return stats?.isSymbolicLink() === true ? targetOf(directory, name) : undefined;
}

function explainMissing(pinning: Pinning, path: string, location: EntryLocation, givenPath: string): unknown {
  const direct = locateEntry(pinning, path, { followLinks: false });
  try {
    const isLink = direct.stats?.isSymbolicLink() === true;
    if (isLink) return danglingLink(givenPath, readlinkSync(direct.directory.at(direct.name)));
    const { realPath } = location.directory;
    return notFound(givenPath, {
      directory: pinning.root === "/" ? realPath : realPath.slice(withSlash(pinning.root).length),
      names: namesIn(location.directory.at(".")),
      wanted: location.missing[0] ?? location.name,
    });
  } finally {
    direct.directory.close();
  }
}

// Comparing with more names takes too long for a hint.
const maxNames = 1000;

function namesIn(path: string): readonly string[] {
  let directory: Dir | undefined;
  try {
    directory = opendirSync(path);
    const names: string[] = [];
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
      if (names.push(entry.name) > maxNames) return [];
    }
    return names;
  } catch {
    return [];
  } finally {
    directory?.closeSync();
  }
}

/** Throws `stale` if the entry is no longer the one that was located. */
export function refuseChanged(
  { directory, name, stats }: Pick<EntryLocation, "directory" | "name" | "stats">,
  givenPath: string,
): void {
  const now = lstatSync(directory.at(name), { throwIfNoEntry: false });
  if (now === undefined && stats === undefined) return;
  if (now === undefined) throw isStale(givenPath, "gone");
  if (stats === undefined) throw isStale(givenPath, "there");
  if (!isSameEntry(stats, now)) throw isStale(givenPath, "changed");
}

/** Whether an entry is unchanged. Of a directory only the identity counts, because its content is compared by entry. */
export function isSameEntry(before: Stats, now: Stats): boolean {
  if (before.ino !== now.ino || before.dev !== now.dev || before.mode !== now.mode) return false;
  return now.isDirectory() || (before.size === now.size && before.mtimeMs === now.mtimeMs);
}
