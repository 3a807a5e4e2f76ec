import { lstatSync, rmdirSync, unlinkSync } from "node:fs";
import type { Entry } from "./entries-below.ts";

/** Bubblewrap makes a place for what has vanished just before it was to be hidden. */
export function removeLeftovers(hidden: readonly Entry[], begun: number): void {
  for (const { path, kind } of hidden) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined || stats.birthtimeMs < begun - coarseMs) continue;
    try {
      if (kind === "directory") rmdirSync(path);
      else if (stats.isFile() && stats.size === 0 && (stats.mode & 0o777) === 0o444) unlinkSync(path);
    } catch {
      // Something is in it by now.
    }
  }
}

// The clock of a file system may be behind by as much.
const coarseMs = 20;
