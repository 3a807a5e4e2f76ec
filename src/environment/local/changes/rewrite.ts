import {
  closeSync,
  constants,
  fchmodSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
} from "node:fs";
import { isFileAt, piecesOf, writeFully } from "../../../system/content.ts";
import { confirmOpened, openIn } from "../../../system/pinning/open-in.ts";
import type { PinnedDirectory } from "../../../system/pinning/pinning.ts";

const inPlace = constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Gives a file the content and mode of another beside it, in place, so that all its names have them. */
export function rewrite(directory: PinnedDirectory, name: string, from: string): void {
  const source = openIn(directory, from);
  try {
    const target = openSync(directory.at(name), inPlace);
    try {
      confirmOpened(directory, name, target);
      for (const piece of piecesOf(source)) writeFully(target, piece);
      const { size, mode } = fstatSync(source);
      ftruncateSync(target, size);
      fchmodSync(target, mode & 0o7777);
      fdatasyncSync(target);
    } finally {
      closeSync(target);
    }
  } finally {
    closeSync(source);
  }
}

/**
 * Whether a file can be what an interrupted `rewrite` has left of the one and the other: each byte from either, or zero
 * where the disk lost it.
 */
export function isMixture(
  directory: PinnedDirectory,
  name: string,
  [one, other]: readonly [string, string],
): boolean {
  const mixed = wholeAt(directory, name);
  const left = wholeAt(directory, one);
  const right = wholeAt(directory, other);
  if (mixed === undefined || left === undefined || right === undefined) return false;
  const lengths = [left.length, right.length];
  if (mixed.length < Math.min(...lengths) || mixed.length > Math.max(...lengths)) return false;
  return mixed.every((byte, index) => byte === left[index] || byte === right[index] || byte === 0);
}

function wholeAt(directory: PinnedDirectory, name: string): Buffer | undefined {
  if (!isFileAt(directory, name)) return undefined;
  const handle = openIn(directory, name);
  try {
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}
