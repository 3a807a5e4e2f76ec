import { lstatSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { atRealPlace } from "../../system/pinning/at-real-place.ts";
import { freeName } from "./kept-link.ts";

/**
 * Git takes a directory with these for a repository, also where it has none called `.git` or that is broken, and obeys the
 * `config` in it. A command may make each of them; when all are there by its end, and were not before, one is renamed.
 * Tells what was done, if anything.
 */
export function keepFromBeingBare(workspace: string): () => string {
  if (isBare(workspace)) return () => "";
  return () => {
    if (!isBare(workspace)) return "";
    const head = join(workspace, "HEAD");
    try {
      const name = atRealPlace(head, (place) => {
        const free = freeName(`${place}.renamed`);
        renameSync(place, free);
        return basename(free);
      });
      return `${made(workspace)}: HEAD is called ${name} now.`;
    } catch (error) {
      return `${made(workspace)}: remove HEAD (${(error as Error).message}).`;
    }
  };
}

function made(workspace: string): string {
  return `The command made ${workspace} itself a repository, whose settings git would obey`;
}

export function isBare(directory: string): boolean {
  return ["HEAD", "objects", "refs"].every((name) => {
    try {
      return lstatSync(join(directory, name), { throwIfNoEntry: false }) !== undefined;
    } catch {
      return false;
    }
  });
}
