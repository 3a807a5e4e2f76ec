import { chmodSync, closeSync, constants, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { undefinedUnlessExhausted } from "../lib/exhaustion.ts";
import { errnoOf } from "./file-errors.ts";
import { PathChecker } from "./path-checker.ts";
import { type PinnedDirectory, ProcPinning } from "./pinning.ts";

/**
 * Runs an action on a path while its directory is pinned, so that swapping the directory for a link has no effect.
 * Returns undefined without running it when the directory does not exist or its path contains a link. Works only on
 * Linux. `pinned` is only for system calls that do not follow a link at its end.
 */
export function atPinnedPath<Result>(path: string, act: (pinned: string) => Result): Result | undefined {
  const parent = pinRealPath(dirname(path));
  try {
    return parent === undefined ? undefined : act(parent.at(basename(path)));
  } finally {
    parent?.close();
  }
}

/** Opens a directory whose path contains no links; undefined when there is none. */
export function pinRealPath(path: string): PinnedDirectory | undefined {
  const pinning = new ProcPinning("/", new PathChecker("/", undefined));
  try {
    const directory = pinning.pin(path);
    if (directory.realPath === path) return directory;
    directory.close();
    return undefined;
  } catch (error) {
    if (notThere.includes(errnoOf(error) ?? "")) return undefined;
    throw error;
  } finally {
    pinning.close();
  }
}

const notThere = ["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG"];

/** Changes an entry even in a read-only directory, which a process of the same user could make writable. */
export function changeAt<Result>(pinned: string, change: () => Result): Result {
  try {
    return change();
  } catch (error) {
    if (errnoOf(error) !== "EACCES") throw error;
    const parent = `${dirname(pinned)}/`;
    const mode = statSync(parent).mode & 0o7777;
    chmodSync(parent, mode | 0o700);
    try {
      return change();
    } finally {
      chmodSync(parent, mode);
    }
  }
}

/** Reads a file at a pinned path; undefined for links, larger files and anything that is not a file. */
export function contentAt(pinned: string, maxBytes: number): Uint8Array | undefined {
  let handle: number | undefined;
  try {
    // With O_NONBLOCK, opening a pipe without a writer does not block.
    handle = openSync(pinned, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(handle);
    return stats.isFile() && stats.size <= maxBytes ? readFileSync(handle) : undefined;
  } catch (error) {
    return undefinedUnlessExhausted(error);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
