import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { showSize } from "../../lib/show-size.ts";
import type { JournalBudget } from "../../toolcrib/workspace-journal.ts";
import { type Finding, note, well } from "./finding.ts";

/** Whether there is room for what is kept. */
export function examineDisk(state: string, { maxBytes }: JournalBudget): Finding {
  const free = freeBytes(nearestThere(state));
  const message = `${showSize(free)} free for what is kept`;
  if (free >= maxBytes) return well("disk", message);
  return note(
    "disk",
    `${message}, of which there may be ${showSize(maxBytes)}`,
    "Free disk space, or keep less: TOOLCRIB_JOURNAL_MAX_BYTES",
  );
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function nearestThere(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestThere(dirname(path));
}
