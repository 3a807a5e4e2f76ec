import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  type Stats,
  unlinkSync,
} from "node:fs";
import { errnoOf } from "./file-errors.ts";
import type { PinnedDirectory } from "./pinning.ts";

let crypto: typeof import("node:crypto") | undefined;

/** An unguessable part of a name, so that no link can be prepared under it. */
export function newTemporaryId(): string {
  // Loaded by the first write: a call that only reads would pay a fifth of its start for it.
  crypto ??= process.getBuiltinModule("node:crypto");
  return crypto.randomUUID();
}

/** Its shape is known, so that leftovers are. */
export function temporaryName(id: string = newTemporaryId()): string {
  return `.toolcrib-${id}.tmp`;
}

/** A file beside its target, to be filled and then renamed. If that fails, nothing is left of it. */
export class TemporaryFile {
  readonly handle: number;
  readonly #directory: PinnedDirectory;
  readonly #name: string;
  readonly #like: Stats | undefined;
  readonly #mode: number | undefined;
  #state: "open" | "closed" | "left" = "open";

  /** `like` is a file whose owner it takes, and its mode unless one is given. */
  constructor(
    directory: PinnedDirectory,
    like: Stats | undefined,
    mode?: number,
    name: string = temporaryName(),
  ) {
    this.#directory = directory;
    this.#name = name;
    this.#like = like;
    this.#mode = mode ?? (like === undefined ? undefined : like.mode & 0o7777);
    // Never opened wider than it will be: the old content may have been private.
    this.handle = openSync(directory.at(this.#name), newFile, (this.#mode ?? 0o666) & 0o777);
  }

  /** Takes owner and mode over, each only where the system has not already given it. */
  finish(): Stats {
    const stats = fstatSync(this.handle);
    let mode = this.#mode ?? stats.mode & 0o7777;
    let isChanged = false;
    if (this.#like !== undefined && (this.#like.uid !== stats.uid || this.#like.gid !== stats.gid)) {
      isChanged = giveTo(this.handle, this.#like);
      // A program that runs as its owner must not start to run as another one.
      if (!isChanged) mode &= 0o777;
    }
    if (isChanged || mode !== (stats.mode & 0o7777)) {
      fchmodSync(this.handle, mode);
      isChanged = true;
    }
    return isChanged ? fstatSync(this.handle) : stats;
  }

  /** With `refuse`, EEXIST when the name is taken, also if only just now. */
  giveName(name: string, ifExists: "replace" | "refuse"): void {
    this.#close();
    if (ifExists === "replace") renameSync(this.#directory.at(this.#name), this.#directory.at(name));
    else giveFreeName(this.#directory, this.#name, name);
    this.#state = "left";
  }

  /** Leaves the file to a caller that knows its name. */
  leave(): void {
    this.#close();
    this.#state = "left";
  }

  /** Removes it, unless it has got its name or was left. */
  discard(): void {
    if (this.#state === "left") return;
    this.#close();
    try {
      unlinkSync(this.#directory.at(this.#name));
    } catch {
      // The error that led here says more.
    }
  }

  #close(): void {
    if (this.#state !== "open") return;
    this.#state = "closed";
    closeSync(this.handle);
  }
}

const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Without renameat2, only a hard link takes a name and looks whether it is free in one step. */
function giveFreeName(directory: PinnedDirectory, temporary: string, name: string): void {
  try {
    linkSync(directory.at(temporary), directory.at(name));
  } catch (error) {
    if (!hasNoHardLinks(error)) throw error;
    // Then take the name with an empty file first.
    closeSync(openSync(directory.at(name), "wx"));
    renameSync(directory.at(temporary), directory.at(name));
    return;
  }
  unlinkSync(directory.at(temporary));
}

/** Whether linking failed because of the file system or its rules, not because of the names. */
export function hasNoHardLinks(error: unknown): boolean {
  return ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(errnoOf(error) ?? "");
}

/** Whether a name is one that `temporaryName` gives. */
export function isTemporaryName(name: string): boolean {
  return leftoverName.test(name);
}

const leftoverName = /^\.toolcrib-[0-9a-f-]{36}\.tmp$/;

// No write takes this long, so the process that made it is gone.
const abandonedMs = 10 * 60 * 1000;

/** Removes what writers left that were killed. Called once for each directory that is written to. */
export function removeLeftovers(directory: PinnedDirectory): void {
  try {
    for (const name of readdirSync(directory.at("."))) {
      if (!isTemporaryName(name)) continue;
      const stats = lstatSync(directory.at(name));
      if (stats.isFile() && Date.now() - stats.mtimeMs > abandonedMs) unlinkSync(directory.at(name));
    }
  } catch {
    // Tidying up must never fail a write that has succeeded.
  }
}

function giveTo(handle: number, owner: Stats): boolean {
  try {
    fchownSync(handle, owner.uid, owner.gid);
    return true;
  } catch (error) {
    if (errnoOf(error) === "EPERM") return false;
    throw error;
  }
}
