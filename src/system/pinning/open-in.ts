import { closeSync, constants, fstatSync, lstatSync, openSync } from "node:fs";
import { systemError } from "../failures.ts";
import type { PinnedDirectory } from "./pinning.ts";

// One flag on macOS forbids links anywhere in the path; it takes the place of O_NOFOLLOW, which only guards the end.
const noFollow = process.platform === "darwin" ? 0x20000000 : constants.O_NOFOLLOW;

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

/** Where a path had to be trusted for a moment, what was opened must be what still stands there. */
export function confirmOpened(directory: PinnedDirectory, name: string, handle: number): void {
  if (directory.isHandle) return;
  const opened = fstatSync(handle);
  const standing = lstatSync(directory.at(name));
  if (opened.ino !== standing.ino || opened.dev !== standing.dev) throw systemError("ESTALE", name);
}
