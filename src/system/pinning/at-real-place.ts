import { chmodSync, closeSync, constants, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { errnoOf } from "../failures.ts";
import { Gate } from "../gate.ts";
import type { PinnedDirectory } from "./pinning.ts";
import { ProcPinning } from "./proc-pinning.ts";

/**
 * Does something at a path whose directory is held meanwhile: whoever exchanges that for a link leads nobody elsewhere.
 * Nothing is done, and undefined given, where the directory is not there or a link is part of its path. For Linux.
 * `place` is good for system calls that do not follow a link at its end.
 */
export function atRealPlace<Result>(path: string, act: (place: string) => Result): Result | undefined {
  const parent = holdReal(dirname(path));
  try {
    return parent === undefined ? undefined : act(parent.at(basename(path)));
  } finally {
    parent?.close();
  }
}

/** A directory whose path is real; undefined when there is none. */
export function holdReal(path: string): PinnedDirectory | undefined {
  const pinning = new ProcPinning("/", new Gate("/", undefined));
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

/**
 * Changes what stands at a place that is held, also where whoever runs as we do has forbidden that in its directory: he
 * could allow it again at any time.
 */
export function changeAt<Result>(place: string, change: () => Result): Result {
  try {
    return change();
  } catch (error) {
    if (errnoOf(error) !== "EACCES") throw error;
    const parent = `${dirname(place)}/`;
    const mode = statSync(parent).mode & 0o7777;
    chmodSync(parent, mode | 0o700);
    try {
      return change();
    } finally {
      chmodSync(parent, mode);
    }
  }
}

/** What a file holds, by a place that is held; undefined for links, for what is no file, and for one that is larger. */
export function contentAt(place: string, maxBytes: number): Uint8Array | undefined {
  let handle: number | undefined;
  try {
    // A pipe that nobody writes to must not hold us.
    handle = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(handle);
    return stats.isFile() && stats.size <= maxBytes ? readFileSync(handle) : undefined;
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
