import { accessSync, constants, fdatasync, fdatasyncSync, type Stats, writeSync } from "node:fs";
import { promisify } from "node:util";
import type { ChangeReceipt, WriteOptions, WriteReceipt } from "../../../contract/environment.ts";
import { throwIfAborted } from "../../../lib/async/abort.ts";
import { TimeSlice } from "../../../lib/async/time-slice.ts";
import { writeFully } from "../../../system/content.ts";
import { alreadyExists, isDirectory, isWorkspaceItself } from "../../../system/file-errors.ts";
import type { PinnedDirectory, Pinning } from "../../../system/pinning.ts";
import { removeLeftovers, TemporaryFile } from "../../../system/temporary-file.ts";
import { fileInfo } from "./file-info.ts";
import {
  closingOnError,
  type EntryLocation,
  locateEntry,
  makeParents,
  realPathOf,
  refuseChanged,
} from "./locate-entry.ts";
import { type NamedPath, refuseUnlessFile } from "./read-file.ts";

/**
 * Writes a temporary file and renames it over the target, so that the file has either the old or the new content, even
 * after a crash or on a full disk. Other hard links keep the old content. `tidied` are the directories that were
 * already searched for leftovers.
 */
export async function writeWhole(
  pinning: Pinning,
  path: NamedPath,
  content: Uint8Array,
  options: WriteOptions,
  tidied: Set<string>,
): Promise<WriteReceipt> {
  const { ifExists = "replace", durable = true, signal } = options;
  throwIfAborted(signal);
  const location = locateEntry(pinning, path.absolute, { followLinks: true });
  const parent = closingOnError(location.directory, () => {
    refuseTarget(location, path.given, ifExists);
    pinning.checker.check("write", realPathOf(location), path.given);
    return makeParents(location);
  });
  try {
    const mode = location.stats === undefined ? options.mode : undefined;
    const temporary = new TemporaryFile(parent.directory, location.stats, mode);
    try {
      const filled = fillTemporary(temporary, content, { durable, signal });
      const stats = filled instanceof Promise ? await filled : filled;
      throwIfAborted(signal);
      const answer = options.announce?.([...parent.made(), effectOf(location, stats)]);
      if (answer !== undefined) {
        await answer;
        throwIfAborted(signal);
        refuseChanged({ ...location, directory: parent.directory }, path.given);
      }
      temporary.giveName(location.name, ifExists);
      parent.directory.confirm();
      tidyOnce(parent.directory, tidied);
      return { created: location.stats === undefined, info: fileInfo(stats) };
    } finally {
      temporary.discard();
    }
  } catch (error) {
    parent.undo();
    throw error;
  } finally {
    parent.close();
  }
}

function effectOf(location: EntryLocation, after: Stats): ChangeReceipt {
  const before = location.stats && fileInfo(location.stats);
  return { realPath: realPathOf(location), before, after: fileInfo(after) };
}

/**
 * Writes the whole content, sets owner and mode, and waits for the disk if requested. Only long contents take more than
 * one turn, because waiting for a turn costs as much as a small write.
 */
export function fillTemporary(
  temporary: TemporaryFile,
  content: Uint8Array,
  options: { readonly durable: boolean; readonly signal: AbortSignal | undefined },
): Stats | Promise<Stats> {
  if (content.length > pieceBytes) return fillInPieces(temporary, content, options);
  writeFully(temporary.handle, content);
  const stats = temporary.finish();
  if (options.durable) fdatasyncSync(temporary.handle);
  return stats;
}

const pieceBytes = 4 * 1024 * 1024;

async function fillInPieces(
  temporary: TemporaryFile,
  content: Uint8Array,
  { durable, signal }: { readonly durable: boolean; readonly signal: AbortSignal | undefined },
): Promise<Stats> {
  const timeSlice = new TimeSlice(signal);
  for (let written = 0; written < content.length; ) {
    const length = Math.min(content.length - written, pieceBytes);
    written += writeSync(temporary.handle, content, written, length);
    await timeSlice.next();
  }
  const stats = temporary.finish();
  if (durable) await promisify(fdatasync)(temporary.handle);
  return stats;
}

function refuseTarget(location: EntryLocation, givenPath: string, ifExists: "replace" | "refuse"): void {
  if (location.name === ".") throw isWorkspaceItself(givenPath);
  if (location.stats !== undefined) refuseUnlessFile(location.stats, givenPath);
  if (location.stats !== undefined && ifExists === "refuse") throw alreadyExists(givenPath);
  if (givenPath.endsWith("/")) throw isDirectory(givenPath);
  if (location.stats !== undefined) respectProtection(location, location.stats);
}

/** Throws EACCES for a read-only file, because the rename would replace it anyway. */
export function respectProtection({ directory, name }: EntryLocation, { mode, uid }: Stats): void {
  const isMine = uid === process.getuid?.() && (mode & 0o200) !== 0;
  if (!isMine) accessSync(directory.at(name), constants.W_OK);
}

export function tidyOnce(directory: PinnedDirectory, tidied: Set<string>): void {
  if (tidied.has(directory.realPath)) return;
  tidied.add(directory.realPath);
  removeLeftovers(directory);
}
