import { type Dir, lstatSync, mkdirSync, opendirSync, readlinkSync, rmdirSync, type Stats } from "node:fs";
import { basename, dirname } from "node:path";
import type { ChangeReceipt } from "../../../contract/environment.ts";
import { danglingLink, errnoOf, LeadsOutside, notFound, systemError } from "../../../system/failures.ts";
import type { PinnedDirectory, Pinning } from "../../../system/pinning/pinning.ts";
import { withSlash } from "../../../system/workspace-path.ts";
import { fileInfo } from "./file-info.ts";

/** Where a path leads: a name in a held directory. Close the directory. */
export interface Place {
  /** The deepest directory that exists. */
  readonly directory: PinnedDirectory;
  /** Directories between `directory` and `name` that do not exist yet. */
  readonly missing: readonly string[];
  /** "." for the root itself. */
  readonly name: string;
  /** What stands there, a link not followed; undefined when there is nothing. */
  readonly stats: Stats | undefined;
}

// As many as Linux follows.
const maxLinks = 40;

/** Finds where an absolute path leads, one link after the other, so that also a link to nothing is judged. */
export function findPlace(pinning: Pinning, path: string, options: { readonly followLinks: boolean }): Place {
  let target = path;
  for (let links = 0; links <= maxLinks; links += 1) {
    const place = look(pinning, target);
    const next = closingOnError(place.directory, () => linkToFollow(place, options));
    if (next === undefined) return place;
    place.directory.close();
    target = next;
  }
  throw systemError("ELOOP", path);
}

/** The same for something that has to be there. */
export function findExisting(
  pinning: Pinning,
  path: string,
  options: { readonly followLinks: boolean; readonly givenPath: string },
): Place & { readonly stats: Stats } {
  const place = findPlace(pinning, path, options);
  if (place.stats !== undefined) return { ...place, stats: place.stats };
  try {
    throw explainMissing(pinning, path, place, options.givenPath);
  } finally {
    place.directory.close();
  }
}

/** For what is done between taking a directory over and handing it on. */
export function closingOnError<Result>(directory: PinnedDirectory, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    directory.close();
    throw error;
  }
}

/** The absolute real path of a place. */
export function realPathOf(place: Place): string {
  if (place.name === ".") return place.directory.realPath;
  return withSlash(place.directory.realPath) + [...place.missing, place.name].join("/");
}

/** The absolute paths of the directories that are missing above a place, each after the one it is in. */
export function missingAbove({ directory, missing }: Place): readonly string[] {
  return missing.map((_, index) => withSlash(directory.realPath) + missing.slice(0, index + 1).join("/"));
}

/** The held parent of a place after its missing directories were made. */
export interface Parent {
  readonly directory: PinnedDirectory;
  /** The directories that were made, each after the one it is in. */
  made(): readonly ChangeReceipt[];
  /** Removes the directories that were made, when what they were made for has failed. */
  undo(): void;
  close(): void;
}

/** Makes what is missing above a place. Takes the place's directory over, unless it fails: close the parent instead. */
export function makeParents(place: Place): Parent {
  const { directory: existing } = place;
  if (place.missing.length === 0)
    return { directory: existing, made: () => [], undo: nothing, close: () => existing.close() };
  const held: PinnedDirectory[] = [];
  const made: MadeDirectory[] = [];
  const undo = () => {
    for (const { directory, name } of made.splice(0).reverse()) {
      try {
        rmdirSync(directory.at(name));
      } catch {
        // Somebody else uses it by now.
      }
    }
  };
  const closeMade = () => {
    for (const directory of held) directory.close();
  };
  let directory = place.directory;
  try {
    for (const name of place.missing) {
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

function look(pinning: Pinning, target: string): Place {
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

/** A path whose last part is no name of its own: the real path of that directory has one. */
function lookAtDirectory(pinning: Pinning, path: string): Place {
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
function workspaceItself(pinning: Pinning, path: string, outside: LeadsOutside): Place {
  try {
    return lookAtDirectory(pinning, path);
  } catch {
    throw outside;
  }
}

/** Where to look next: the target of a link at the place, or of a link to nothing on the way to it. */
function linkToFollow(place: Place, options: { readonly followLinks: boolean }): string | undefined {
  const [gap, ...below] = place.missing;
  if (gap === undefined) {
    if (!options.followLinks || place.stats?.isSymbolicLink() !== true) return undefined;
    return targetOf(place.directory, place.name);
  }
  const target = linkTarget(place.directory, gap);
  return target === undefined ? undefined : [target, ...below, place.name].join("/");
}

function targetOf(directory: PinnedDirectory, link: string): string {
  const target = readlinkSync(directory.at(link));
  return target.startsWith("/") ? target : withSlash(directory.realPath) + target;
}

/** What lies behind a link to outside is nobody's business: neither whether it exists, nor what it is, nor whose. */
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

function explainMissing(pinning: Pinning, path: string, place: Place, givenPath: string): unknown {
  const direct = findPlace(pinning, path, { followLinks: false });
  try {
    const isLink = direct.stats?.isSymbolicLink() === true;
    if (isLink) return danglingLink(givenPath, readlinkSync(direct.directory.at(direct.name)));
    return notFound(givenPath, {
      directory: pinning.root === "/" ? place.directory.realPath : relativeTo(pinning.root, place.directory),
      names: namesIn(place.directory.at(".")),
      wanted: place.missing[0] ?? place.name,
    });
  } finally {
    direct.directory.close();
  }
}

function relativeTo(root: string, { realPath }: PinnedDirectory): string {
  return realPath.slice(withSlash(root).length);
}

// Comparing with more names than this takes longer than anybody wants to wait for a hint.
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
