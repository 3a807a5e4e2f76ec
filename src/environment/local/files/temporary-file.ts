import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  type Stats,
  unlinkSync,
} from "node:fs";
import { promisify } from "node:util";
import { errnoOf } from "../../failures.ts";
import type { PinnedDirectory } from "../pinning/pinning.ts";

/** A finished file that has no name of its own yet. */
export interface TemporaryFile {
  readonly name: string;
  readonly stats: Stats;
}

export interface TemporaryFileOptions {
  /** The file it will replace, whose mode and owner it takes. */
  readonly like: Stats | undefined;
  /** Permission bits where it replaces nothing. */
  readonly mode?: number | undefined;
  /** Wait until the bytes are on the disk. */
  readonly durable: boolean;
}

let crypto: typeof import("node:crypto") | undefined;

/** A name that nobody can guess and prepare a link under; its shape is known, so that leftovers are. */
export function temporaryName(): string {
  // Loaded by the first write: a call that only reads would pay a fifth of its start for it.
  crypto ??= process.getBuiltinModule("node:crypto");
  return `.toolcrib-${crypto.randomUUID()}.tmp`;
}

/** Makes a file beside its later place and lets `fill` write it. Nothing is left of it when that fails. */
export async function makeTemporary(
  directory: PinnedDirectory,
  options: TemporaryFileOptions,
  fill: (handle: number) => Promise<void> | void,
): Promise<TemporaryFile> {
  const name = temporaryName();
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const mode = options.like === undefined ? options.mode : options.like.mode & 0o7777;
  // Never opened wider than it will be: the old content may have been private.
  const handle = openSync(
    directory.at(name),
    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
    (mode ?? 0o666) & 0o777,
  );
  try {
    const filling = fill(handle);
    if (filling !== undefined) await filling;
    const stats = takeOver(handle, options.like, mode);
    // What took several turns to write may take long to reach the disk.
    if (options.durable && filling !== undefined) await promisify(fdatasync)(handle);
    else if (options.durable) fdatasyncSync(handle);
    return { name, stats };
  } catch (error) {
    removeQuietly(directory, name);
    throw error;
  } finally {
    closeSync(handle);
  }
}

/** Gives a finished file its name. With `refuse`, EEXIST when the name is taken, also if only just now. */
export function giveName(
  directory: PinnedDirectory,
  temporary: string,
  name: string,
  ifExists: "replace" | "refuse",
): void {
  try {
    if (ifExists === "replace") renameSync(directory.at(temporary), directory.at(name));
    else giveFreeName(directory, temporary, name);
  } catch (error) {
    removeQuietly(directory, temporary);
    throw error;
  }
}

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

const leftoverName = /^\.toolcrib-[0-9a-f-]{36}\.tmp$/;

// No write takes this long, so whoever made it is gone.
const abandonedMs = 10 * 60 * 1000;

/** Removes what writers left that were killed. Called once for each directory that is written to. */
export function removeLeftovers(directory: PinnedDirectory): void {
  try {
    for (const name of readdirSync(directory.at("."))) {
      if (!leftoverName.test(name)) continue;
      const stats = lstatSync(directory.at(name));
      if (stats.isFile() && Date.now() - stats.mtimeMs > abandonedMs) unlinkSync(directory.at(name));
    }
  } catch {
    // Tidying up must never fail a write that has succeeded.
  }
}

/** Gives the new file the old one's owner and mode. Each is only set where the system did not already. */
function takeOver(handle: number, like: Stats | undefined, mode: number | undefined): Stats {
  const stats = fstatSync(handle);
  let wanted = mode ?? stats.mode & 0o7777;
  let isChanged = false;
  if (like !== undefined && (like.uid !== stats.uid || like.gid !== stats.gid)) {
    isChanged = giveTo(handle, like);
    // A program that runs as its owner must not start to run as another one.
    if (!isChanged) wanted &= 0o777;
  }
  if (isChanged || wanted !== (stats.mode & 0o7777)) {
    fchmodSync(handle, wanted);
    isChanged = true;
  }
  return isChanged ? fstatSync(handle) : stats;
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

function removeQuietly(directory: PinnedDirectory, name: string): void {
  try {
    unlinkSync(directory.at(name));
  } catch {
    // The error that led here says more.
  }
}
