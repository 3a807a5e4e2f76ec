import { lstatSync, rmdirSync, unlinkSync } from "node:fs";
import { atRealPlace } from "../../system/pinning/at-real-place.ts";
import type { Entry } from "./entries-below.ts";

/** Bubblewrap makes a place for what has vanished just before it was to be hidden. */
export function removeLeftovers(hidden: readonly Entry[], begun: number): void {
  for (const { path, kind } of hidden) {
    if (!isYoung(path, begun)) continue;
    try {
      atRealPlace(path, (place) => {
        const stats = lstatSync(place);
        if (kind === "directory") rmdirSync(place);
        else if (stats.isFile() && stats.size === 0 && (stats.mode & 0o777) === 0o444) unlinkSync(place);
      });
    } catch {
      // Something is in it by now.
    }
  }
}

function isYoung(path: string, begun: number): boolean {
  try {
    return lstatSync(path).birthtimeMs >= begun - coarseMs;
  } catch {
    return false;
  }
}

// The clock of a file system may be behind by as much.
const coarseMs = 20;
