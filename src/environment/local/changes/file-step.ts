import {
  closeSync,
  constants,
  fchmodSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
} from "node:fs";
import { contentAt, exists, isFileAt, linkAt, piecesOf, writeFully } from "../../../system/content.ts";
import { systemError } from "../../../system/file-errors.ts";
import type { PinnedDirectory } from "../../../system/pinning.ts";
import { confirmOpened, openIn } from "../../../system/pinning.ts";
import { hasNoHardLinks, temporaryName } from "../../../system/temporary-file.ts";

/** The recorded change of one file. With the temporary files next to it, it can be completed or undone. */
export interface FileStep {
  /** The real path, relative to the workspace. */
  readonly path: string;
  /** `replace` gives the name a new file. `rewrite` gives the file new content under all its names. */
  readonly how: "create" | "replace" | "rewrite" | "remove";
  /** The hash of the content, or "nothing". */
  readonly before: string;
  readonly after: string;
  readonly link?: string;
  /** The names of temporary files contain this id. */
  readonly id: string;
}

/** Returns the name of the temporary file with the new content. It no longer exists when the step is applied. */
export function freshName({ id }: FileStep): string {
  return temporaryName(id);
}

/** Returns the name of the old content: a hard link or a copy, or after `remove` the entry itself. */
export function keptName({ id }: FileStep): string {
  return `.toolcrib-${id}.old`;
}

/** Returns the name of the temporary file after a `rewrite`. */
function writtenName({ id }: FileStep): string {
  return `.toolcrib-${id}.new`;
}

/** Applies a step for which `canApply` is true. */
export function applyStep(directory: PinnedDirectory, step: FileStep): void {
  const name = nameOf(step);
  const fresh = freshName(step);
  if (step.how === "create") takeFreeName(directory, fresh, name);
  else if (step.how === "replace") renameSync(directory.at(fresh), directory.at(name));
  else if (step.how === "remove") renameSync(directory.at(name), directory.at(keptName(step)));
  else {
    rewrite(directory, name, fresh);
    renameSync(directory.at(fresh), directory.at(writtenName(step)));
  }
}

/** Whether the step is not applied yet and the file is unchanged. */
export function canApply(directory: PinnedDirectory, step: FileStep): boolean {
  if (step.how === "remove") return isAsBefore(directory, step);
  if (contentAt(directory, freshName(step)) !== step.after) return false;
  return isAsBefore(directory, step) || isTorn(directory, step);
}

/** Whether a step that cannot be applied is already applied, even if the file has changed since. */
export function isApplied(directory: PinnedDirectory, step: FileStep): boolean {
  if (isAsAfter(directory, step)) return true;
  if (step.how === "remove") return exists(directory, keptName(step));
  return !exists(directory, freshName(step)) && !isAsBefore(directory, step);
}

export function isAsAfter(directory: PinnedDirectory, step: FileStep): boolean {
  return contentAt(directory, nameOf(step)) === step.after;
}

/** Undoes the applied part of a step. Returns false, and leaves the file unchanged, when it was changed since. */
export function undoStep(directory: PinnedDirectory, step: FileStep): boolean {
  const name = nameOf(step);
  const kept = keptName(step);
  const isNew = isAsAfter(directory, step);
  if (step.how === "create" && isNew) unlinkSync(directory.at(name));
  if (step.how === "create" || !exists(directory, kept)) return isAsBefore(directory, step);
  if (step.how === "remove" && isNew) takeFreeName(directory, kept, name, step.link);
  if (step.how === "rewrite" && (isNew || isTorn(directory, step))) rewrite(directory, name, kept);
  if (step.how === "replace" && isNew && !exists(directory, freshName(step)))
    renameSync(directory.at(kept), directory.at(name));
  return isAsBefore(directory, step);
}

export function tidyStep(directory: PinnedDirectory, step: FileStep): void {
  for (const name of [freshName(step), writtenName(step), keptName(step)]) {
    if (exists(directory, name)) unlinkSync(directory.at(name));
  }
}

function isAsBefore(directory: PinnedDirectory, step: FileStep): boolean {
  const name = nameOf(step);
  if (step.link !== undefined) return linkAt(directory, name) === step.link;
  return contentAt(directory, name) === step.before;
}

/** Whether a rewrite was interrupted. Other steps cannot be interrupted, because renaming is atomic. */
function isTorn(directory: PinnedDirectory, step: FileStep): boolean {
  if (step.how !== "rewrite") return false;
  const fresh = exists(directory, freshName(step)) ? freshName(step) : writtenName(step);
  return isMixture(directory, nameOf(step), [keptName(step), fresh]);
}

/**
 * Renames an entry to a free name, and throws EEXIST if it is taken. Node has no renameat2, so only a hard link does
 * that atomically. For a symbolic `link` the name is only checked, because some systems would hard-link its target.
 */
function takeFreeName(directory: PinnedDirectory, from: string, name: string, link?: string): void {
  try {
    if (link !== undefined) throw systemError("ENOTSUP", name);
    linkSync(directory.at(from), directory.at(name));
  } catch (error) {
    if (!hasNoHardLinks(error)) throw error;
    if (exists(directory, name)) throw systemError("EEXIST", name);
    renameSync(directory.at(from), directory.at(name));
    return;
  }
  unlinkSync(directory.at(from));
}

function nameOf({ path }: FileStep): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

const inPlace = constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Gives a file the content and mode of another one in place, so that all its names have them. */
function rewrite(directory: PinnedDirectory, name: string, from: string): void {
  const source = openIn(directory, from);
  try {
    const target = openSync(directory.at(name), inPlace);
    try {
      confirmOpened(directory, name, target);
      for (const piece of piecesOf(source)) writeFully(target, piece);
      const { size, mode } = fstatSync(source);
      ftruncateSync(target, size);
      fchmodSync(target, mode & 0o7777);
      fdatasyncSync(target);
    } finally {
      closeSync(target);
    }
  } finally {
    closeSync(source);
  }
}

/** Whether a file can result from an interrupted `rewrite`: each byte is from either file, or zero if lost. */
function isMixture(
  directory: PinnedDirectory,
  name: string,
  [one, other]: readonly [string, string],
): boolean {
  const mixed = wholeAt(directory, name);
  const left = wholeAt(directory, one);
  const right = wholeAt(directory, other);
  if (mixed === undefined || left === undefined || right === undefined) return false;
  const lengths = [left.length, right.length];
  if (mixed.length < Math.min(...lengths) || mixed.length > Math.max(...lengths)) return false;
  return mixed.every((byte, index) => byte === left[index] || byte === right[index] || byte === 0);
}

function wholeAt(directory: PinnedDirectory, name: string): Buffer | undefined {
  if (!isFileAt(directory, name)) return undefined;
  const handle = openIn(directory, name);
  try {
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}
