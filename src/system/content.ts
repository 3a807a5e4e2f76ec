import type { Hash } from "node:crypto";
import { closeSync, fstatSync, lstatSync, readlinkSync, readSync, writeSync } from "node:fs";
import type { TimeSlice } from "../lib/async/time-slice.ts";
import { errnoOf } from "./file-errors.ts";
import { openIn, type PinnedDirectory } from "./pinning.ts";

export function exists(directory: PinnedDirectory, name: string): boolean {
  return lstatSync(directory.at(name), { throwIfNoEntry: false }) !== undefined;
}

export function isFileAt(directory: PinnedDirectory, name: string): boolean {
  return lstatSync(directory.at(name), { throwIfNoEntry: false })?.isFile() === true;
}

/** Returns the target of a link; undefined when the entry is missing or is not a link. */
export function linkAt(directory: PinnedDirectory, name: string): string | undefined {
  try {
    return readlinkSync(directory.at(name));
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "EINVAL") return undefined;
    throw error;
  }
}

/** Returns the hash of a regular file, "nothing" for a missing entry, undefined for any other kind of entry. */
export function contentAt(directory: PinnedDirectory, name: string): string | undefined {
  if (!isFileAt(directory, name)) return exists(directory, name) ? undefined : "nothing";
  const handle = openIn(directory, name);
  try {
    return fstatSync(handle).isFile() ? hashOf(handle) : undefined;
  } finally {
    closeSync(handle);
  }
}

function hashOf(handle: number): string {
  const hash = newHash();
  for (const piece of piecesOf(handle)) hash.update(piece);
  return hash.digest("hex");
}

/** Hashes an open file of any size and copies its content to `copy`, if given. */
export async function hashPatiently(handle: number, timeSlice: TimeSlice, copy?: number): Promise<string> {
  const hash = newHash();
  for (const piece of piecesOf(handle)) {
    hash.update(piece);
    if (copy !== undefined) writeFully(copy, piece);
    if (timeSlice.isOver) await timeSlice.next();
  }
  return hash.digest("hex");
}

/** Yields the content of an open file. A piece is valid until the next one is requested. */
export function* piecesOf(handle: number): Generator<Buffer> {
  const piece = Buffer.allocUnsafe(Math.min(fstatSync(handle).size + 1, maxPieceBytes));
  for (let position = 0; ; ) {
    const read = readSync(handle, piece, 0, piece.length, position);
    if (read === 0) return;
    yield piece.subarray(0, read);
    position += read;
  }
}

const maxPieceBytes = 1024 * 1024;

export function writeFully(handle: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(handle, bytes, written);
}

let crypto: typeof import("node:crypto") | undefined;

export function newHash(): Hash {
  // The module is loaded on first use, as in `contentHash`.
  crypto ??= process.getBuiltinModule("node:crypto");
  return crypto.createHash("sha256");
}
