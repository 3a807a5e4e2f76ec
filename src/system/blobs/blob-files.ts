import { type Stats, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";

/** Where a content is kept, by its hash. */
export function pathOfBlob(folder: string, hash: string): string {
  return join(folder, hash.slice(0, 2), hash.slice(2));
}

/** Hashes come from a database that may be damaged: none leads to another folder. */
export function isHash(hash: string): boolean {
  return /^[0-9a-f]{64}$/.test(hash);
}

export function findBlob(folder: string, hash: string): Stats | undefined {
  return isHash(hash) ? statSync(pathOfBlob(folder, hash), { throwIfNoEntry: false }) : undefined;
}

/** What names of contents that are being kept begin with. */
export const temporaryPrefix = "new-";

/** Whatever resists stays. */
export function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is not there, or the error that led here says more.
  }
}
