import { readdirSync } from "node:fs";
import type { Breath } from "../../../lib/breath.ts";
import { errnoOf, systemError } from "../../../system/failures.ts";
import type { PinnedDirectory } from "../../../system/pinning/pinning.ts";

/** What to do with an entry; a directory comes after all that is in it. */
export type Visit = (here: PinnedDirectory, name: Uint8Array, kind: "directory" | "other") => void;

/**
 * Visits all in a directory, and closes it. By held directories: one that is exchanged for a link meanwhile is an error,
 * never a way out. Only the directory it is in is held, so that depth costs nothing; on the way back ".." must be where
 * it came from.
 */
export async function walkTree(top: PinnedDirectory, visit: Visit, breath: Breath): Promise<void> {
  let here = top;
  try {
    const above: Level[] = [];
    let level = await enter(here, Buffer.alloc(0), visit, breath);
    for (;;) {
      const next = level.pending.pop();
      if (next !== undefined) {
        here = replace(here, held(here, next));
        above.push(level);
        level = await enter(here, next, visit, breath);
        continue;
      }
      const back = above.pop();
      if (back === undefined) return;
      here = replace(here, here.parent());
      if (here.identity() !== back.identity) throw systemError("ESTALE", here.realPath);
      visit(here, level.name, "directory");
      level = back;
    }
  } finally {
    here.close();
  }
}

interface Level {
  readonly name: Uint8Array;
  readonly identity: string;
  /** Directories in it that are still to be visited. */
  readonly pending: Uint8Array[];
}

async function enter(here: PinnedDirectory, name: Uint8Array, visit: Visit, breath: Breath): Promise<Level> {
  const pending: Uint8Array[] = [];
  for (const entry of readdirSync(here.at("."), { withFileTypes: true, encoding: "buffer" })) {
    if (entry.isDirectory()) pending.push(entry.name);
    else visit(here, entry.name, "other");
    if (breath.isDue) await breath.take();
  }
  return { name, identity: here.identity(), pending };
}

function replace(before: PinnedDirectory, after: PinnedDirectory): PinnedDirectory {
  before.close();
  return after;
}

/** What was a directory a moment ago has to be one still. */
function held(here: PinnedDirectory, name: Uint8Array): PinnedDirectory {
  try {
    return here.child(name);
  } catch (error) {
    const errno = errnoOf(error);
    throw errno === "ENOTDIR" || errno === "ELOOP" ? systemError("ESTALE", here.realPath) : error;
  }
}
