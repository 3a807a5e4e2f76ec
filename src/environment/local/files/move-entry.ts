import { linkSync, renameSync, type Stats, unlinkSync } from "node:fs";
import {
  alreadyExists,
  directoryInTheWay,
  intoItself,
  isWorkspaceItself,
  ontoItself,
} from "../../failures.ts";
import { liesInside } from "../../workspace-path.ts";
import type { Pinning } from "../pinning/pinning.ts";
import { findExisting, findPlace, makeParents, type Place, realPathOf } from "./place.ts";
import type { NamedPath } from "./read-file.ts";

/** Moves a file, link or directory. Links are moved and replaced themselves, never what they point to. */
export function moveEntry(
  pinning: Pinning,
  from: NamedPath,
  to: NamedPath,
  options: { readonly replace?: boolean },
): void {
  const source = findExisting(pinning, from.absolute, { followLinks: false, givenPath: from.given });
  try {
    if (source.name === ".") throw isWorkspaceItself(from.given);
    const target = findPlace(pinning, to.absolute, { followLinks: false });
    try {
      judge(source, target, { from: from.given, to: to.given, replace: options.replace === true });
    } catch (error) {
      target.directory.close();
      throw error;
    }
    const parent = makeParents(target);
    try {
      rename(source, { ...target, directory: parent.directory }, options.replace === true);
      source.directory.confirm();
      parent.directory.confirm();
    } catch (error) {
      parent.undo();
      throw error;
    } finally {
      parent.close();
    }
  } finally {
    source.directory.close();
  }
}

function judge(
  source: Place & { readonly stats: Stats },
  target: Place,
  names: { readonly from: string; readonly to: string; readonly replace: boolean },
): void {
  const fromPath = realPathOf(source);
  const toPath = realPathOf(target);
  if (target.name === ".") throw isWorkspaceItself(names.to);
  if (fromPath === toPath) throw ontoItself(names.from);
  if (source.stats.isDirectory() && liesInside(toPath, fromPath)) throw intoItself(names.from, names.to);
  if (target.stats === undefined) return;
  if (target.stats.isDirectory()) throw directoryInTheWay(names.to);
  if (!names.replace) throw alreadyExists(names.to);
}

function rename(source: Place & { readonly stats: Stats }, target: Place, replace: boolean): void {
  const from = source.directory.at(source.name);
  const to = target.directory.at(target.name);
  // Without renameat2 only a hard link takes a free name without a moment between looking and doing. A directory
  // cannot be linked: there the look before is all there is, and an empty directory made meanwhile is replaced.
  if (replace || source.stats.isDirectory()) {
    renameSync(from, to);
  } else {
    linkSync(from, to);
    unlinkSync(from);
  }
}
