import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePrivateDirectory } from "../directories.ts";
import { namesIn } from "../names-in.ts";
import { findBlob, isHash, pathOfBlob, temporaryPrefix, unlinkQuietly } from "./blob-files.ts";
import type { KeptBlob } from "./blob-folder.ts";

/** What is kept, in no order. */
export function* listBlobs(folder: string): Generator<KeptBlob> {
  for (const start of namesIn(folder)) {
    for (const rest of namesIn(join(folder, start))) {
      const stats = findBlob(folder, start + rest);
      if (stats !== undefined) yield { hash: start + rest, bytes: stats.size, keptAt: stats.mtimeMs };
    }
  }
}

export function removeBlob(folder: string, hash: string): void {
  if (isHash(hash)) unlinkQuietly(pathOfBlob(folder, hash));
}

/** Removes what processes left that were killed while they kept something. */
export function removeLeftovers(folder: string, olderThan: number): void {
  for (const name of namesIn(folder).filter((other) => other.startsWith(temporaryPrefix))) {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    if (stats !== undefined && stats.mtimeMs < olderThan) unlinkQuietly(join(folder, name));
  }
}

/** Whether nobody has collected here for so long; then it counts as done now. */
export function isCollectionDue(folder: string, everyMs: number): boolean {
  const stats = statSync(markerIn(folder), { throwIfNoEntry: false });
  if (stats !== undefined && Math.abs(Date.now() - stats.mtimeMs) < everyMs) return false;
  makePrivateDirectory(folder);
  writeFileSync(markerIn(folder), "", { mode: 0o600 });
  return true;
}

/** It could not be done now. */
export function postponeCollection(folder: string): void {
  unlinkQuietly(markerIn(folder));
}

function markerIn(folder: string): string {
  return join(folder, "collected");
}
