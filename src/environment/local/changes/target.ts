import { readlinkSync, type Stats } from "node:fs";
import type { FileChange } from "../../../contract/environment.ts";
import { contentHash } from "../../../lib/content-hash.ts";
import {
  asToolError,
  isDirectory,
  isNamedTwice,
  isStale,
  isWorkspaceItself,
} from "../../../system/failures.ts";
import type { Pinning } from "../../../system/pinning/pinning.ts";
import { newTemporaryId } from "../../../system/temporary-file.ts";
import { withSlash } from "../../../system/workspace-path.ts";
import { closingOnError, findExisting, findPlace, type Place, realPathOf } from "../files/place.ts";
import { type NamedPath, refuseUnlessFile } from "../files/read-file.ts";
import { respectProtection } from "../files/write-file.ts";
import type { FileStep } from "./file-step.ts";

/** Where one change leads, and what has to be done there. Close the directory of the place. */
export interface Target {
  readonly change: FileChange;
  readonly named: NamedPath;
  readonly path: string;
  readonly realPath: string;
  readonly place: Place;
  /** The file whose content counts: where a link is removed, the one it leads to. */
  readonly file: Stats | undefined;
  /** The file whose mode and owner it takes. */
  readonly like: Stats | undefined;
  /** Undefined when the file is only held to what it should be. */
  readonly step: FileStep | undefined;
}

/** Finds and judges what a change leads to. `nameOf` judges a path as it was given. */
export function findTarget(
  pinning: Pinning,
  change: FileChange,
  nameOf: (path: string) => NamedPath,
): Target {
  const { path, after } = change;
  const named = nameOf(path);
  const place = findPlace(pinning, named.absolute, { followLinks: after !== "nothing" });
  return closingOnError(place.directory, () => {
    if (place.name === ".") throw isWorkspaceItself(path);
    const isLink = place.stats?.isSymbolicLink() === true;
    const file = isLink ? fileAt(pinning, named) : place.stats;
    if (file !== undefined) refuseUnlessFile(file, path);
    if (after !== "nothing" && path.endsWith("/")) throw isDirectory(path);
    if (after !== "nothing" && file !== undefined) respectProtection(place, file);
    const example = file === undefined ? change.like : undefined;
    const like = example === undefined ? file : fileAt(pinning, nameOf(example));
    const realPath = realPathOf(place);
    pinning.gate.pass("write", realPath, path);
    const step = planStep(change, file, {
      path: realPath.slice(withSlash(pinning.root).length),
      ...(isLink ? { link: readlinkSync(place.directory.at(place.name)) } : {}),
    });
    return { change, named, path, realPath, place, file, like, step };
  });
}

/** Refuses what is wrong at first sight, before anything is written. */
export function refuseUnlikely(targets: readonly Target[]): void {
  for (const { path, file, change } of targets) {
    if (file === undefined && change.before !== "nothing") throw isStale(path, "gone");
    if (file !== undefined && change.before === "nothing") throw isStale(path, "there");
  }
}

/** A file that is changed under all its names can be changed by one of them only. */
export function refuseSharedFiles(targets: readonly Target[]): void {
  for (const one of targets.filter(({ step }) => step?.how === "rewrite")) {
    const isSame = ({ file }: Target) => file?.ino === one.file?.ino && file?.dev === one.file?.dev;
    const other = targets.find((target) => target !== one && isSame(target));
    if (other !== undefined) throw isNamedTwice(one.path, other.path);
  }
}

function planStep(
  { before, after: content, mode, hardLinks }: FileChange,
  file: Stats | undefined,
  place: { readonly path: string; readonly link?: string },
): FileStep | undefined {
  const after = content === "nothing" ? "nothing" : contentHash(content);
  const hasMode = mode === undefined || file === undefined || mode === (file.mode & 0o7777);
  if (after === before && hasMode) return undefined;
  return { ...place, how: howTo(), before, after, id: newTemporaryId() };

  function howTo(): FileStep["how"] {
    if (after === "nothing") return "remove";
    if (file === undefined) return "create";
    return hardLinks === "keep" && file.nlink > 1 ? "rewrite" : "replace";
  }
}

function fileAt(pinning: Pinning, named: NamedPath): Stats {
  try {
    const { stats, directory } = findExisting(pinning, named.absolute, {
      followLinks: true,
      givenPath: named.given,
    });
    directory.close();
    refuseUnlessFile(stats, named.given);
    return stats;
  } catch (error) {
    throw asToolError(error, named.given);
  }
}
