import { lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { ChangedSinceWanted, DirectoryChange } from "../../../contract/environment.ts";
import { TimeSlice } from "../../../lib/async/time-slice.ts";

/** Implements Environment.changedSince. Looks at the entries nearest to the top first: programs change those most often. */
export async function changedSince(
  root: string,
  directories: readonly string[],
  { sinceMs, maxEntries, signal }: ChangedSinceWanted,
): Promise<ReadonlyMap<string, DirectoryChange>> {
  const timeSlice = new TimeSlice(signal);
  const found = new Map<string, DirectoryChange>();
  let left = maxEntries;
  for (const directory of directories) {
    const waiting = [join(root, directory)];
    let change: DirectoryChange = hasChanged(entryAt(waiting[0]!), sinceMs) ? "changed" : "unchanged";
    for (let at = 0; at < waiting.length && change === "unchanged"; at += 1) {
      if (timeSlice.isOver) await timeSlice.next();
      const entries = entriesIn(waiting[at]!);
      left -= entries.length;
      for (const { path, stats } of entries) {
        if (hasChanged(stats, sinceMs)) change = "changed";
        if (stats?.isDirectory()) waiting.push(path);
      }
      if (left < 0 && change === "unchanged" && at < waiting.length - 1) change = "unknown";
    }
    found.set(directory, change);
  }
  return found;
}

interface Entry {
  readonly path: string;
  readonly stats: Stats | undefined;
}

/** A directory that cannot be read is empty: what a command may not read, it cannot have changed. */
function entriesIn(directory: string): readonly Entry[] {
  try {
    return readdirSync(directory).map((name) => {
      const path = join(directory, name);
      return { path, stats: entryAt(path) };
    });
  } catch {
    return [];
  }
}

function entryAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** An entry that is gone has changed. */
function hasChanged(stats: Stats | undefined, sinceMs: number): boolean {
  if (stats === undefined) return true;
  const stepMs = stats.ctimeMs % 1000 === 0 ? clockStepMs.wholeSeconds : clockStepMs.usual;
  return stats.ctimeMs > sinceMs - stepMs;
}

/** Clocks of file systems lag behind by up to ten milliseconds; some count whole seconds. */
const clockStepMs = { usual: 10, wholeSeconds: 1010 };
