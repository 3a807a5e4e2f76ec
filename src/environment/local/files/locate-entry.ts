import { type Dir, lstatSync, mkdirSync, opendirSync, readlinkSync, rmdirSync, type Stats } from "node:fs";
import { basename, dirname } from "node:path";
import type { ChangeReceipt } from "../../../contract/environment.ts";
import { danglingLink, errnoOf, LeadsOutside, notFound, systemError } from "../../../system/file-errors.ts";
import type { PinnedDirectory, Pinning } from "../../../system/pinning.ts";
import { withSlash } from "../../../system/workspace-path.ts";
import { fileInfo } from "./file-info.ts";

/** The entry that a path leads to: a name in a pinned directory. Close the directory. */
export interface EntryLocation {
  /** The deepest directory that exists. */
  readonly directory: PinnedDirectory;
  /** Directories between `directory` and `name` that do not exist yet. */
  readonly missing: readonly string[];
  /** "." for the root itself. */
  readonly name: string;
  /** Of the entry, a link not followed; undefined when it does not exist. */
  readonly stats: Stats | undefined;
}

// As many as Linux follows.
const maxLinks = 40;

/** Follows an absolute path, one link after the other, so that also a dangling link is judged. */
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

/** The same for an entry that has to exist. */
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

/** Closes the directory when `act` fails, before it can be handed on. */
export function closingOnError<Result>(directory: PinnedDirectory, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    directory.close();
    throw error;
  }
}

/** The absolute real path of a location. */
export function realPathOf(location: EntryLocation): string {
  if (location.name === ".") return location.directory.realPath;
  return withSlash(location.directory.realPath) + [...location.missing, location.name].join("/");
}

/** The absolute paths of the directories that are missing above a location, each after the one it is in. */
export function missingAbove({ directory, missing }: EntryLocation): readonly string[] {
  return missing.map((_, index) => withSlash(directory.realPath) + missing.slice(0, index + 1).join("/"));
}

/** The held parent of a location after its missing directories were made. */
export interface MadeParent {
  readonly directory: PinnedDirectory;
  /** The directories that were made, each after the one it is in. */
  made(): readonly ChangeReceipt[];
  /** Removes the directories that were made, when what they were made for has failed. */
  undo(): void;
  close(): void;
}

/**
 * Makes what is missing above a location. Takes the location's directory over, unless it fails: close the parent
 * instead.
 */
export function makeParents(location: EntryLocation): MadeParent {
  const { directory: existing } = location;
  if (location.missing.length === 0)
    return { directory: existing, made: () => [], undo: nothing, close: () => existing.close() };
  const held: PinnedDirectory[] = [];
  const made: MadeDirectory[] = [];
  const undo = () => {
    for (const { directory, name } of made.splice(0).reverse()) {
      try {
        rmdirSync(directory.at(name));
      } catch {
        // It is in use by now.
      }
    }
  };
  const closeMade = () => {
    for (const directory of held) directory.close();
  };
  let directory = location.directory;
  try {
    for (const name of location.missing) {
      if (makeDirectory(directory.at(name))) made.push({ directory, name });
      directory = directory.child(name);
      held.push(directory);
    }
  } catch (error) {
    undo();
    closeMade();
    throw error;
  }
  const close = () => {
    closeMade();
    existing.close();
  };
  return { directory, made: () => made.map(madeDirectory), undo, close };
}

interface MadeDirectory {
  readonly directory: PinnedDirectory;
  readonly name: string;
}

function madeDirectory({ directory, name }: MadeDirectory): ChangeReceipt {
  const after = fileInfo(lstatSync(directory.at(name)));
  return { realPath: withSlash(directory.realPath) + name, before: undefined, after };
}

function nothing(): void {}

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

/** For a path whose last part is not a name: the real path of that directory has one. */
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

/** A link may name the workspace, whose parent lies outside; anything else out there stays outside. */
function workspaceItself(pinning: Pinning, path: string, outside: LeadsOutside): EntryLocation {
  try {
    return lookAtDirectory(pinning, path);
  } catch {
    throw outside;
  }
}

/** Where to look next: the target of a link at the location, or of a link to nothing on the way to it. */
function linkToFollow(
  location: EntryLocation,
  options: { readonly followLinks: boolean },
): string | undefined {
  const [gap, ...below] = location.missing;
  if (gap === undefined) {
    if (!options.followLinks || location.stats?.isSymbolicLink() !== true) return undefined;
    return targetOf(location.directory, location.name);
  }
  const target = linkTarget(location.directory, gap);
  return target === undefined ? undefined : [target, ...below, location.name].join("/");
}

function targetOf(directory: PinnedDirectory, link: string): string {
  const target = readlinkSync(directory.at(link));
  return target.startsWith("/") ? target : withSlash(directory.realPath) + target;
}

/**
 * Reveals nothing about what lies behind a link to outside: neither whether it exists, nor what it is, nor its owner.
 */
function outsideBefore(pinning: Pinning, path: string, error: unknown): unknown {
  let rest = path;
  for (let links = 0; links <= maxLinks && rest !== pinning.root; ) {
    try {
      const directory = pinning.pin(dirname(rest));
      const target = closingOnError(directory, () => linkTarget(directory, basename(rest)));
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

function linkTarget(directory: PinnedDirectory, name: string): string | undefined {
  const stats = lstatSync(directory.at(name), { throwIfNoEntry: false });
  return stats?.isSymbolicLink() === true ? targetOf(directory, name) : undefined;
}

function explainMissing(pinning: Pinning, path: string, location: EntryLocation, givenPath: string): unknown {
  const direct = locateEntry(pinning, path, { followLinks: false });
  try {
    const isLink = direct.stats?.isSymbolicLink() === true;
    if (isLink) return danglingLink(givenPath, readlinkSync(direct.directory.at(direct.name)));
    return notFound(givenPath, {
      directory:
        pinning.root === "/" ? location.directory.realPath : relativeTo(pinning.root, location.directory),
      names: namesIn(location.directory.at(".")),
      wanted: location.missing[0] ?? location.name,
    });
  } finally {
    direct.directory.close();
  }
}

function relativeTo(root: string, { realPath }: PinnedDirectory): string {
  return realPath.slice(withSlash(root).length);
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
