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
import { attempt } from "./attempt.ts";
import { errnoOf } from "./file-errors.ts";
import type { PinnedDirectory } from "./pinning.ts";

let crypto: typeof import("node:crypto") | undefined;

/** Returns an unguessable part of a name, so that an attacker cannot prepare a link with that name. */
export function newTemporaryId(): string {
  // The module is loaded on the first write: loading takes a fifth of the start time of a call that only reads.
  crypto ??= process.getBuiltinModule("node:crypto");
  return crypto.randomUUID();
}

/** Returns a recognizable name, so that leftovers can be removed. */
export function temporaryName(id: string = newTemporaryId()): string {
  return `.toolcrib-${id}.tmp`;
}

/** A file next to its target, which is written and then renamed. */
export class TemporaryFile {
  readonly handle: number;
  readonly #directory: PinnedDirectory;
  readonly #name: string;
  readonly #like: Stats | undefined;
  readonly #mode: number | undefined;
  #state: "open" | "closed" | "left" = "open";

  /** `like` is the file whose owner the new file gets, and whose mode if none is given. */
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
    // Permissions start as strict as the final ones, because the old content may be private.
    this.handle = openSync(directory.at(this.#name), newFile, (this.#mode ?? 0o666) & 0o777);
  }

  finish(): Stats {
    const stats = fstatSync(this.handle);
    let mode = this.#mode ?? stats.mode & 0o7777;
    let isChanged = false;
    if (this.#like !== undefined && (this.#like.uid !== stats.uid || this.#like.gid !== stats.gid)) {
      isChanged = giveTo(this.handle, this.#like);
      // A setuid program must not run as another user.
      if (!isChanged) mode &= 0o777;
    }
    if (isChanged || mode !== (stats.mode & 0o7777)) {
      fchmodSync(this.handle, mode);
      isChanged = true;
    }
    return isChanged ? fstatSync(this.handle) : stats;
  }

  /** Renames the file. With `refuse`, throws EEXIST when the name exists, without a race. */
  giveName(name: string, ifExists: "replace" | "refuse"): void {
    this.#close();
    if (ifExists === "replace") renameSync(this.#directory.at(this.#name), this.#directory.at(name));
    else giveFreeName(this.#directory, this.#name, name);
    this.#state = "left";
  }

  /** Keeps the file; the caller knows its name. */
  leave(): void {
    this.#close();
    this.#state = "left";
  }

  /** Removes the file, unless it was renamed or kept. */
  discard(): void {
    if (this.#state === "left") return;
    this.#close();
    // The error that led here is more informative.
    attempt(() => unlinkSync(this.#directory.at(this.#name)));
  }

  #close(): void {
    if (this.#state !== "open") return;
    this.#state = "closed";
    closeSync(this.handle);
  }
}

const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Renames to a free name. Without renameat2, only a hard link can take a name and check that it is free in one step. */
function giveFreeName(directory: PinnedDirectory, temporary: string, name: string): void {
  try {
    linkSync(directory.at(temporary), directory.at(name));
  } catch (error) {
    if (!hasNoHardLinks(error)) throw error;
    // The file system has no hard links, so take the name with an empty file first.
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

export function isTemporaryName(name: string): boolean {
  return leftoverName.test(name);
}

const leftoverName = /^\.toolcrib-[0-9a-f-]{36}\.tmp$/;

// No write takes this long, so the process that created the file has ended.
const abandonedMs = 10 * 60 * 1000;

/** Removes the files of killed writers. Called once for each directory that is written to. */
export function removeLeftovers(directory: PinnedDirectory): void {
  try {
    for (const name of readdirSync(directory.at("."))) {
      if (!isTemporaryName(name)) continue;
      const stats = lstatSync(directory.at(name));
      if (stats.isFile() && Date.now() - stats.mtimeMs > abandonedMs) unlinkSync(directory.at(name));
    }
  } catch {
    // Cleaning up must not fail a write that has succeeded.
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
