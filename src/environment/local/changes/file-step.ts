import { linkSync, renameSync, unlinkSync } from "node:fs";
import { contentAt, exists, linkAt } from "../../../system/content.ts";
import { systemError } from "../../../system/failures.ts";
import type { PinnedDirectory } from "../../../system/pinning/pinning.ts";
import { hasNoHardLinks, temporaryName } from "../../../system/temporary-file.ts";
import { isMixture, rewrite } from "./rewrite.ts";

/**
 * What is done to one file of a change set, as it is written down: enough to complete it, or to take it back, from
 * what is found beside the file and in it.
 */
export interface FileStep {
  /** Real path relative to the workspace. */
  readonly path: string;
  /** `replace` gives the name a new file; `rewrite` gives the file new content, under all its names. */
  readonly how: "create" | "replace" | "rewrite" | "remove";
  /** Hashes, or "nothing". */
  readonly before: string;
  readonly after: string;
  /** Where the entry points, when it is a link that is removed. */
  readonly link?: string;
  /** Makes the names of what is put beside the file. */
  readonly id: string;
}

/** Names beside the file. `fresh` is the new content, gone when the file has it. */
export function freshName({ id }: FileStep): string {
  return temporaryName(id);
}

/** The old content until the whole set is done: a hard link or copy; after `remove`, the entry itself. */
export function keptName({ id }: FileStep): string {
  return `.toolcrib-${id}.old`;
}

/** What `fresh` is called when a `rewrite` is done. */
function writtenName({ id }: FileStep): string {
  return `.toolcrib-${id}.new`;
}

/** Does a step that can be done. */
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

/** Whether the step is still to be done, and nobody has changed the file. */
export function canApply(directory: PinnedDirectory, step: FileStep): boolean {
  if (step.how === "remove") return isAsBefore(directory, step);
  if (contentAt(directory, freshName(step)) !== step.after) return false;
  return isAsBefore(directory, step) || isTorn(directory, step);
}

/** Whether a step that cannot be done is done already, whatever has become of the file since. */
export function isApplied(directory: PinnedDirectory, step: FileStep): boolean {
  if (isAsAfter(directory, step)) return true;
  if (step.how === "remove") return exists(directory, keptName(step));
  return !exists(directory, freshName(step)) && !isAsBefore(directory, step);
}

export function isAsAfter(directory: PinnedDirectory, step: FileStep): boolean {
  return contentAt(directory, nameOf(step)) === step.after;
}

/** Undoes a step as far as it was done; false when somebody has changed the file since: then it is left alone. */
export function takeStepBack(directory: PinnedDirectory, step: FileStep): boolean {
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

/** Removes what was put beside the file. */
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

/** Whether a rewriting was interrupted. Nothing else can be: a name is given in one go. */
function isTorn(directory: PinnedDirectory, step: FileStep): boolean {
  if (step.how !== "rewrite") return false;
  const fresh = exists(directory, freshName(step)) ? freshName(step) : writtenName(step);
  return isMixture(directory, nameOf(step), [keptName(step), fresh]);
}

/**
 * Without renameat2, only a hard link takes a name and looks whether it is free in one step. For a `link` a look is all
 * there is: on some systems a hard link to it would be one to its target.
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
