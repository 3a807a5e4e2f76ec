import { chmodSync, closeSync, fchmodSync, mkdirSync, rmdirSync, symlinkSync, unlinkSync } from "node:fs";
import type { Announcing, EntryChange } from "../../../contract/environment.ts";
import { errnoOf, isStale, isWorkspaceItself, leadsThroughLink, notFound } from "../../../system/failures.ts";
import { openIn } from "../../../system/pinning/open-in.ts";
import type { PinnedDirectory, Pinning } from "../../../system/pinning/pinning.ts";
import { refuseOtherEntry } from "../../entry-changes.ts";
import { findRealPlace, stateAt } from "./entry-state.ts";
import { realPathOf } from "./place.ts";
import type { NamedPath } from "./read-file.ts";

/** See Environment.changeEntry. */
export async function changeEntry(
  pinning: Pinning,
  path: NamedPath,
  change: EntryChange,
  { announce }: Announcing,
): Promise<void> {
  const place = findRealPlace(pinning, path);
  if (place === undefined) throw leadsThroughLink(path.given);
  const { directory, name } = place;
  try {
    if (name === ".") throw isWorkspaceItself(path.given);
    pinning.gate.pass("write", realPathOf(place), path.given);
    if (place.missing.length > 0) throw notFound(path.given);
    refuseOtherEntry(path.given, await stateAt(place, path.given), change.before);
    announce?.([]);
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
  else if (after.kind === "file") setFileMode(directory, name, after.mode);
  else {
    if (before.kind === "nothing") mkdirSync(directory.at(name), 0o700);
    setMode(directory, name, after.mode);
  }
}

function setFileMode(directory: PinnedDirectory, name: string, mode: number): void {
  const handle = openIn(directory, name);
  try {
    fchmodSync(handle, mode);
  } finally {
    closeSync(handle);
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
