import { readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { Breath } from "../../breath.ts";
import { isWorkspaceItself, needsRecursive } from "../../failures.ts";
import type { PinnedDirectory, Pinning } from "../pinning/pinning.ts";
import { findExisting } from "./place.ts";
import type { NamedPath } from "./read-file.ts";

/** Removes what stands at a path; a link itself, never what it points to. */
export async function deleteEntry(
  pinning: Pinning,
  path: NamedPath,
  options: { readonly recursive?: boolean },
): Promise<void> {
  const place = findExisting(pinning, path.absolute, { followLinks: false, givenPath: path.given });
  const { directory, name } = place;
  try {
    if (name === ".") throw isWorkspaceItself(path.given);
    if (!place.stats.isDirectory()) unlinkSync(directory.at(name));
    else if (options.recursive !== true) throw needsRecursive(path.given);
    else await deleteTree(directory, name);
    directory.confirm();
  } finally {
    directory.close();
  }
}

interface Level {
  readonly directory: PinnedDirectory;
  readonly name: string;
  /** Directories in it that are still to be deleted. */
  readonly pending: string[];
}

/** Walks by held directories: a directory exchanged for a link meanwhile is an error, never a way out. */
async function deleteTree(parent: PinnedDirectory, name: string): Promise<void> {
  const breath = new Breath();
  const levels: Level[] = [];
  try {
    levels.push(await enter(parent, name, breath));
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      const next = level.pending.pop();
      if (next !== undefined) {
        levels.push(await enter(level.directory, next, breath));
        continue;
      }
      levels.pop();
      level.directory.close();
      rmdirSync((levels.at(-1)?.directory ?? parent).at(level.name));
    }
  } finally {
    for (const level of levels) level.directory.close();
  }
}

async function enter(parent: PinnedDirectory, name: string, breath: Breath): Promise<Level> {
  const directory = parent.child(name);
  const pending: string[] = [];
  try {
    for (const entry of readdirSync(directory.at("."), { withFileTypes: true })) {
      if (entry.isDirectory()) pending.push(entry.name);
      else unlinkSync(directory.at(entry.name));
      if (breath.isDue) await breath.take();
    }
  } catch (error) {
    directory.close();
    throw error;
  }
  return { directory, name, pending };
}
