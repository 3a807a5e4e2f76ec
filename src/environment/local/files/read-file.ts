import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from "node:fs";
import type { Environment, FileContent } from "../../../contract/environment.ts";
import { Breath } from "../../../text/breath.ts";
import { isDirectory, isSpecial, keepsChanging, systemError, tooLarge } from "../../failures.ts";
import type { Gate } from "../../gate.ts";
import type { PinnedDirectory, Pinning } from "../pinning/pinning.ts";
import { fileInfo } from "./file-info.ts";
import { findExisting, realPathOf } from "./place.ts";

/** A path in the boundary's own spelling, absolute, and as the caller gave it. */
export interface NamedPath {
  readonly absolute: string;
  readonly given: string;
}

// One flag on macOS forbids links anywhere in the path; it takes the place of O_NOFOLLOW, which only guards the end.
const noFollow = process.platform === "darwin" ? 0x20000000 : constants.O_NOFOLLOW;

/**
 * Opens a file inside the boundary, never waiting for a FIFO that nobody writes to. The quick way opens whatever stands
 * there: whoever reads has to refuse what is no regular file.
 */
export function openForReading(pinning: Pinning, path: NamedPath, gate: Gate = pinning.gate): number {
  const opened = openDirectly(pinning, path.absolute);
  if (opened !== undefined) {
    try {
      gate.pass("read", path.absolute, path.given);
      return opened;
    } catch (error) {
      closeSync(opened);
      throw error;
    }
  }
  const place = findExisting(pinning, path.absolute, { followLinks: true, givenPath: path.given });
  try {
    refuseUnlessFile(place.stats, path.given);
    gate.pass("read", realPathOf(place), path.given);
    return openIn(place.directory, place.name);
  } finally {
    place.directory.close();
  }
}

function openDirectly(pinning: Pinning, path: string): number | undefined {
  try {
    return pinning.openDirectly?.(path);
  } catch {
    // The long way follows a link, or finds out what is wrong.
    return undefined;
  }
}

/** Opens a name in a held directory for reading, without following a link. */
export function openIn(directory: PinnedDirectory, name: string): number {
  const handle = openSync(directory.at(name), constants.O_RDONLY | noFollow | constants.O_NONBLOCK);
  try {
    confirmOpened(directory, name, handle);
    return handle;
  } catch (error) {
    closeSync(handle);
    throw error;
  }
}

export function refuseUnlessFile(stats: Stats, givenPath: string): void {
  if (stats.isFile()) return;
  throw stats.isDirectory() ? isDirectory(givenPath) : isSpecial(givenPath);
}

type ReadOptions = Parameters<Environment["readFile"]>[1];

// What can be read without anybody noticing that the thread was busy.
const pieceBytes = 1024 * 1024;

/** Reads an open file whole in one turn; undefined when it is large or changed meanwhile: read it patiently then. */
export function readQuickly(
  handle: number,
  givenPath: string,
  options: ReadOptions,
): FileContent | undefined {
  const before = fstatSync(handle);
  refuseUnlessFile(before, givenPath);
  if (before.size > options.maxBytes) throw tooLarge(givenPath, before.size, options.maxBytes);
  if (before.size > pieceBytes) return undefined;
  const bytes = Buffer.allocUnsafe(before.size);
  const read = readFully(handle, bytes, 0);
  const after = fstatSync(handle);
  return read === before.size && isSame(before, after) ? { bytes, info: fileInfo(after) } : undefined;
}

const maxTries = 3;

/** Reads an open file whole in many turns, again when it changed meanwhile. */
export async function readPatiently(
  handle: number,
  givenPath: string,
  options: ReadOptions,
): Promise<FileContent> {
  const breath = new Breath(options.signal);
  let before = fstatSync(handle);
  for (let tries = 0; tries < maxTries; tries += 1) {
    if (before.size > options.maxBytes) throw tooLarge(givenPath, before.size, options.maxBytes);
    const bytes = await readInPieces(handle, before.size, breath);
    const after = fstatSync(handle);
    if (bytes.length === before.size && isSame(before, after)) return { bytes, info: fileInfo(after) };
    before = after;
  }
  throw keepsChanging(givenPath);
}

function isSame(before: Stats, after: Stats): boolean {
  return before.size === after.size && before.mtimeMs === after.mtimeMs;
}

/** Fills `target` from `position` on; gives how much there was. */
export function readFully(handle: number, target: Uint8Array, position: number): number {
  let filled = 0;
  while (filled < target.length) {
    const read = readSync(handle, target, filled, target.length - filled, position + filled);
    if (read === 0) break;
    filled += read;
  }
  return filled;
}

async function readInPieces(handle: number, size: number, breath: Breath): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafeSlow(size);
  let filled = 0;
  while (filled < size) {
    if (filled > 0) await breath.take();
    const piece = bytes.subarray(filled, Math.min(filled + pieceBytes, size));
    const read = readFully(handle, piece, filled);
    filled += read;
    if (read < piece.length) break;
  }
  return bytes.subarray(0, filled);
}

/** Where a path had to be trusted for a moment, what was opened must be what still stands there. */
export function confirmOpened(directory: PinnedDirectory, name: string, handle: number): void {
  if (directory.isHandle) return;
  const opened = fstatSync(handle);
  const standing = lstatSync(directory.at(name));
  if (opened.ino !== standing.ino || opened.dev !== standing.dev) throw systemError("ESTALE", name);
}
