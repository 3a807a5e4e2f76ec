import { closeSync, fstatSync, openSync, readFileSync, readSync, type Stats, statSync } from "node:fs";
import type { Environment, FileContent, Reaching } from "../../../contract/environment.ts";
import { TimeSlice } from "../../../lib/async/time-slice.ts";
import { asBuffer } from "../../../lib/bytes/bytes.ts";
import { attempt } from "../../../system/attempt.ts";
import type { BlobFolder, StoredBlob } from "../../../system/blob-store.ts";
import { asToolError, isDirectory, isSpecial, keepsChanging, tooLarge } from "../../../system/file-errors.ts";
import type { PathChecker } from "../../../system/path-checker.ts";
import { openIn, type Pinning } from "../../../system/pinning.ts";
import type { ByteRange } from "../../check-requests.ts";
import { fileInfo } from "./file-info.ts";
import { locateExisting, realPathOf } from "./locate-entry.ts";

/** An absolute, normalized path, and the caller's spelling. */
export interface NamedPath {
  readonly absolute: string;
  readonly given: string;
}

/**
 * Opens a file inside the boundary without waiting for a FIFO. The entry may be of any kind, so the caller must refuse
 * everything except regular files.
 */
export function openForReading(
  pinning: Pinning,
  path: NamedPath,
  reached?: Reaching["reached"],
  checker: PathChecker = pinning.checker,
): number {
  // If the direct way fails, the code below follows a link or finds the cause.
  const opened = attempt(() => pinning.openDirectly?.(path.absolute));
  if (opened !== undefined) {
    try {
      checker.check("read", path.absolute, path.given);
      reached?.(path.absolute);
    } catch (error) {
      closeSync(opened);
      throw error;
    }
    return opened;
  }
  const location = locateExisting(pinning, path.absolute, { followLinks: true, givenPath: path.given });
  try {
    refuseUnlessFile(location.stats, path.given);
    checker.check("read", realPathOf(location), path.given);
    reached?.(realPathOf(location));
    return openIn(location.directory, location.name);
  } finally {
    location.directory.close();
  }
}

export function refuseUnlessFile(stats: Stats, givenPath: string): void {
  if (stats.isFile()) return;
  throw stats.isDirectory() ? isDirectory(givenPath) : isSpecial(givenPath);
}

type ReadOptions = Parameters<Environment["readFile"]>[1];

// Reading so much at once does not noticeably block other work.
const pieceBytes = 1024 * 1024;

/** Reads an open file in one turn; undefined when it is large or changed in between. */
export function readQuickly(
  handle: number,
  givenPath: string,
  options: ReadOptions,
): FileContent | undefined {
  const before = fstatSync(handle);
  refuseUnlessFile(before, givenPath);
  if (before.size > options.maxBytes) throw tooLarge(givenPath, before.size, options.maxBytes);
  if (before.size > pieceBytes) return undefined;
  const fits = options.into !== undefined && before.size <= options.into.length;
  const bytes = fits ? asBuffer(options.into).subarray(0, before.size) : Buffer.allocUnsafe(before.size);
  const read = readFully(handle, bytes, 0);
  const after = fstatSync(handle);
  return read === before.size && isSame(before, after) ? { bytes, info: fileInfo(after) } : undefined;
}

const maxTries = 3;

/** Reads an open file in many turns, and tries again when it changed in between. */
export async function readPatiently(
  handle: number,
  givenPath: string,
  options: ReadOptions,
): Promise<FileContent> {
  const timeSlice = new TimeSlice(options.signal);
  let before = fstatSync(handle);
  for (let tries = 0; tries < maxTries; tries += 1) {
    if (before.size > options.maxBytes) throw tooLarge(givenPath, before.size, options.maxBytes);
    const bytes = await readInPieces(handle, before.size, timeSlice);
    const after = fstatSync(handle);
    if (bytes.length === before.size && isSame(before, after)) return { bytes, info: fileInfo(after) };
    before = after;
  }
  throw keepsChanging(givenPath);
}

function isSame(before: Stats, after: Stats): boolean {
  return before.size === after.size && before.mtimeMs === after.mtimeMs;
}

/** Fills `target` from `position` on and returns the number of bytes read. */
export function readFully(handle: number, target: Uint8Array, position: number): number {
  let filled = 0;
  while (filled < target.length) {
    const read = readSync(handle, target, filled, target.length - filled, position + filled);
    if (read === 0) break;
    filled += read;
  }
  return filled;
}

async function readInPieces(handle: number, size: number, timeSlice: TimeSlice): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafeSlow(size);
  let filled = 0;
  while (filled < size) {
    if (filled > 0) await timeSlice.next();
    const piece = bytes.subarray(filled, Math.min(filled + pieceBytes, size));
    const read = readFully(handle, piece, filled);
    filled += read;
    if (read < piece.length) break;
  }
  return bytes.subarray(0, filled);
}

/** Reads bytes of a regular file inside the boundary. Returns fewer at its end. */
export function readRange(
  pinning: Pinning,
  path: NamedPath,
  { offset, length, reached }: ByteRange,
): Uint8Array {
  const handle = openForReading(pinning, path, reached);
  try {
    const stats = fstatSync(handle);
    refuseUnlessFile(stats, path.given);
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, stats.size - offset)));
    return bytes.subarray(0, readFully(handle, bytes, offset));
  } finally {
    closeSync(handle);
  }
}

/** Functions that open a file safely, without a guard. They are only for undo, which also stores hidden files. */
export const openers: WeakMap<Environment, (path: string) => number> = new WeakMap();

/** Stores the content of the file at `path`; undefined when the environment is not this machine. */
export async function copyOut(
  environment: Environment,
  path: string,
  blobs: BlobFolder,
  signal?: AbortSignal,
): Promise<StoredBlob | undefined> {
  const open = openers.get(environment);
  if (open === undefined) return undefined;
  let handle: number | undefined;
  try {
    handle = open(path);
    const stats = fstatSync(handle);
    refuseUnlessFile(stats, path);
    if (stats.size > smallBytes) return await blobs.keepOpenFile(handle, signal);
    // The buffer has one byte more than the file, to detect growth.
    const content = Buffer.allocUnsafe(stats.size + 1);
    const bytes = readFully(handle, content, 0);
    if (bytes > stats.size) return await blobs.keepOpenFile(handle, signal);
    return { hash: blobs.keep(content.subarray(0, bytes)), bytes, keptAt: Date.now() };
  } catch (error) {
    throw asToolError(error, path);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

// Up to this size, reading at once is faster than copying in the background. Settings and rules are never larger.
const smallBytes = 1024 * 1024;

/** Returns the content of a regular file; undefined when it is larger or cannot be read. */
export function readSmallFile(file: string, maxBytes: number = smallBytes): Buffer | undefined {
  return attempt(() => {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats?.isFile() || stats.size > maxBytes) return undefined;
    return stats.size > smallBytes ? readLarge(file) : readFileSync(file);
  });
}

function readLarge(file: string): Buffer {
  const descriptor = openSync(file, "r");
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.allocUnsafeSlow(size);
    return bytes.subarray(0, readFully(descriptor, bytes, 0));
  } finally {
    closeSync(descriptor);
  }
}
