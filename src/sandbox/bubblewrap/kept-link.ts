import { lstatSync, readlinkSync, renameSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { atRealPlace } from "../../system/pinning/at-real-place.ts";

/**
 * Nothing can be mounted on a link, so that a command may exchange `.git` where it is one. Then it is put back, and what
 * came in its place stays beside it. Tells what was done, if anything.
 */
export function keepLink(path: string): () => string {
  const target = isLink(path) ? atRealPlace(path, targetOf) : undefined;
  if (target === undefined) return () => "";
  return () => {
    try {
      return (
        atRealPlace(path, (place) => putBack(place, target, path)) ?? notPutBack("its directory is gone")
      );
    } catch (error) {
      return notPutBack((error as Error).message);
    }
  };

  function notPutBack(why: string): string {
    return `The command replaced the link ${path}, and it could not be put back: ${why}.`;
  }
}

/** What was done, or nothing. */
function putBack(place: string, target: string, path: string): string {
  if (targetOf(place) === target) return "";
  const aside = freeName(`${place}.replaced`);
  const isSomething = lstatSync(place, { throwIfNoEntry: false }) !== undefined;
  if (isSomething) renameSync(place, aside);
  symlinkSync(target, place);
  const found = isSomething ? `, and ${join(dirname(path), basename(aside))} is what the command made` : "";
  return `The command replaced the link ${path}: it was put back${found}.`;
}

/** Mostly it is none, and to hold its directory costs more than a look. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    return false;
  }
}

function targetOf(place: string): string | undefined {
  try {
    return readlinkSync(place);
  } catch {
    return undefined;
  }
}

/** This one, or one with a number where that is taken. */
export function freeName(path: string): string {
  for (let number = 0; ; number++) {
    const name = number === 0 ? path : `${path}-${number}`;
    if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
  }
}
