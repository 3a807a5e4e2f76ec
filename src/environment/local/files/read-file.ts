import { closeSync, fstatSync, readSync, type Stats } from "node:fs";
import type { Environment, FileContent } from "../../../contract/environment.ts";
import { Breath } from "../../../lib/breath.ts";
import { isDirectory, isSpecial, keepsChanging, tooLarge } from "../../../system/failures.ts";
import type { Gate } from "../../../system/gate.ts";
import { openIn } from "../../../system/pinning/open-in.ts";
import type { Pinning } from "../../../system/pinning/pinning.ts";
import { fileInfo } from "./file-info.ts";
import { findExisting, realPathOf } from "./place.ts";

/** A path in the boundary's own spelling, absolute, and as the caller gave it. */
export interface NamedPath {
  readonly absolute: string;
  readonly given: string;
}

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
