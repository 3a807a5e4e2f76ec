import { renameSync, rmSync } from "node:fs";

// Names of files in Toolcrib's own folders.

/** Moves a file, also over another one. Throws when there is none. */
export function moveFile(from: string, to: string): void {
  renameSync(from, to);
}

/** Removes a file, if it exists. */
export function removeFile(path: string): void {
  rmSync(path, { force: true });
}
