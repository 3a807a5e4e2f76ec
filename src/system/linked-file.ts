import { existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { attemptQuietly } from "./attempt.ts";

// Names of files in Toolcrib's own folders.

/** Gives a file a second name, or keeps that name. Returns false where that is not possible: some file systems have no links. */
export function linkFile(path: string, name: string): boolean {
  attemptQuietly(() => linkSync(path, name));
  return existsSync(name);
}

/** Moves a file, also over another one. Throws when there is none. */
export function moveFile(from: string, to: string): void {
  renameSync(from, to);
}

/** Moves a file over another one. Without the file, removes the other one. */
export function replaceFile(from: string, to: string): void {
  if (existsSync(from)) renameSync(from, to);
  else removeFile(to);
  // Two links of one file are not renamed.
  removeFile(from);
}

/** Removes a file, if it exists. */
export function removeFile(path: string): void {
  rmSync(path, { force: true });
}
