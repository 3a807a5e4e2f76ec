import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fdatasyncSync,
  fstatSync,
  linkSync,
  openSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeSync,
} from "node:fs";
import type { WriteOptions, WriteReceipt } from "../../../contract/environment.ts";
import { Breath } from "../../breath.ts";
import { alreadyExists, errnoOf, isWorkspaceItself } from "../../failures.ts";
import type { PinnedDirectory, Pinning } from "../pinning/pinning.ts";
import { fileInfo } from "./file-info.ts";
import { findPlace, makeParents } from "./place.ts";
import { type NamedPath, refuseUnlessFile } from "./read-file.ts";

/**
 * Writes beside the target and renames over it: a reader, a crash or a full disk meets the old content or the new.
 * The rename gives the name a new inode, so other hard links keep the old content, also those outside.
 */
export async function writeWhole(
  pinning: Pinning,
  path: NamedPath,
  content: Uint8Array,
  options: WriteOptions,
): Promise<WriteReceipt> {
  const place = findPlace(pinning, path.absolute, { followLinks: true });
  const replaces = options.ifExists !== "refuse";
  if (place.stats !== undefined) {
    try {
      if (place.name === ".") throw isWorkspaceItself(path.given);
      refuseUnlessFile(place.stats, path.given);
      if (!replaces) throw alreadyExists(path.given);
    } catch (error) {
      place.directory.close();
      throw error;
    }
  }
  const parent = makeParents(place);
  try {
    const temporary = await writeTemporary(parent.directory, content, { ...options, like: place.stats });
    try {
      if (replaces) renameSync(parent.directory.at(temporary.name), parent.directory.at(place.name));
      else giveFreeName(parent.directory, temporary.name, place.name);
    } catch (error) {
      removeQuietly(parent.directory, temporary.name);
      throw error;
    }
    parent.directory.confirm();
    return { created: place.stats === undefined, info: fileInfo(temporary.stats) };
  } catch (error) {
    parent.undo();
    throw error;
  } finally {
    parent.close();
  }
}

/** A name nobody can guess and prepare a link under; the shape is known, so that leftovers are. */
function temporaryName(): string {
  return `.toolcrib-${randomBytes(12).toString("hex")}.tmp`;
}

async function writeTemporary(
  directory: PinnedDirectory,
  content: Uint8Array,
  options: { readonly like: Stats | undefined; readonly mode?: number; readonly durable?: boolean },
): Promise<{ readonly name: string; readonly stats: Stats }> {
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
    await writeFully(handle, content);
    const stats = takeOver(handle, options.like, mode);
    if (options.durable !== false) fdatasyncSync(handle);
    return { name, stats };
  } catch (error) {
    removeQuietly(directory, name);
    throw error;
  } finally {
    closeSync(handle);
  }
}

const pieceBytes = 4 * 1024 * 1024;

async function writeFully(handle: number, content: Uint8Array): Promise<void> {
  const breath = content.length > pieceBytes ? new Breath() : undefined;
  let written = 0;
  while (written < content.length) {
    written += writeSync(handle, content, written, Math.min(content.length - written, pieceBytes));
    if (breath?.isDue === true) await breath.take();
  }
}

/** Gives the new file the old one's owner and mode. Each is only set where the system did not already. */
function takeOver(handle: number, like: Stats | undefined, mode: number | undefined): Stats {
  const stats = fstatSync(handle);
  let wanted = mode ?? stats.mode & 0o7777;
  let changed = false;
  if (like !== undefined && (like.uid !== stats.uid || like.gid !== stats.gid)) {
    changed = giveTo(handle, like);
    // A program that runs as its owner must not start to run as another one.
    if (!changed) wanted &= 0o777;
  }
  if (changed || wanted !== (stats.mode & 0o7777)) {
    fchmodSync(handle, wanted);
    changed = true;
  }
  return changed ? fstatSync(handle) : stats;
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

/** Gives a finished file its name only if that is free, without a moment between looking and doing. */
function giveFreeName(directory: PinnedDirectory, temporary: string, name: string): void {
  try {
    linkSync(directory.at(temporary), directory.at(name));
    unlinkSync(directory.at(temporary));
  } catch (error) {
    if (errnoOf(error) !== "EPERM" && errnoOf(error) !== "ENOTSUP") throw error;
    // No hard links here: take the name with an empty file first.
    closeSync(openSync(directory.at(name), "wx"));
    renameSync(directory.at(temporary), directory.at(name));
  }
}

function removeQuietly(directory: PinnedDirectory, name: string): void {
  try {
    unlinkSync(directory.at(name));
  } catch {
    // The error that led here says more.
  }
}
