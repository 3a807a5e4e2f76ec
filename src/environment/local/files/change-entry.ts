import { chmodSync, mkdirSync, rmdirSync, symlinkSync, unlinkSync } from "node:fs";
import type { EntryChange } from "../../../contract/environment.ts";
import { refuseOtherEntry } from "../../entry-changes.ts";
import { errnoOf, isStale, isWorkspaceItself, notFound } from "../../failures.ts";
import type { PinnedDirectory, Pinning } from "../pinning/pinning.ts";
import { findRealPlace, plainState } from "./entry-state.ts";
import type { NamedPath } from "./read-file.ts";

/** See Environment.changeEntry. */
export function changeEntry(pinning: Pinning, path: NamedPath, change: EntryChange): void {
  const place = findRealPlace(pinning, path);
  const { directory, name } = place;
  try {
    if (name === ".") throw isWorkspaceItself(path.given);
    if (place.missing.length > 0) throw notFound(path.given);
    const stands = place.stats?.isFile() ? "file" : plainState(place, path.given);
    refuseOtherEntry(path.given, stands, change.before);
    act(directory, name, change);
    directory.confirm();
  } catch (error) {
    if (errnoOf(error) === "EEXIST") throw isStale(path.given, "there");
    if (errnoOf(error) === "ENOTEMPTY") throw isStale(path.given, "filled");
    throw error;
  } finally {
    directory.close();
  }
}

function act(directory: PinnedDirectory, name: string, { before, after }: EntryChange): void {
  if (after.kind === "link") symlinkSync(after.target, directory.at(name));
  else if (after.kind === "nothing") (before.kind === "link" ? unlinkSync : rmdirSync)(directory.at(name));
  else {
    if (before.kind === "nothing") mkdirSync(directory.at(name), 0o700);
    setMode(directory, name, after.mode);
  }
}

/** By a handle on the directory itself: what sets a mode would follow a link. */
function setMode(parent: PinnedDirectory, name: string, mode: number): void {
  const directory = parent.child(name);
  try {
    chmodSync(directory.at("."), mode);
  } finally {
    directory.close();
  }
}
