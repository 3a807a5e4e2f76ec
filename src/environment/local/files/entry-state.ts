import {
  closeSync,
  fchmodSync,
  fstatSync,
  mkdirSync,
  readlinkSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import type { Announcing, EntryChange } from "../../../contract/environment.ts";
import type { EntryState } from "../../../contract/history.ts";
import { TimeSlice } from "../../../lib/async/time-slice.ts";
import { statsAt } from "../../../system/attempt.ts";
import { hashPatiently } from "../../../system/content.ts";
import {
  errnoOf,
  isSpecial,
  isStale,
  isWorkspaceItself,
  keepsChanging,
  LeadsOutside,
  leadsThroughLink,
  notFound,
} from "../../../system/file-errors.ts";
import { openIn, type PinnedDirectory, type Pinning } from "../../../system/pinning.ts";
import { refuseOtherEntry } from "../../check-requests.ts";
import { type EntryLocation, locateEntry, realPathOf } from "./locate-entry.ts";
import type { NamedPath } from "./read-file.ts";

/** Implements Environment.state. */
export async function entryState(
  pinning: Pinning,
  path: NamedPath,
  signal: AbortSignal | undefined,
): Promise<EntryState> {
  const location = locateReal(pinning, path);
  if (location === undefined) return { kind: "nothing" };
  try {
    return await stateAt(location, path.given, signal);
  } finally {
    location.directory.close();
  }
}

/** Returns the location of a real path; undefined when one of its directories is a link or a file. */
function locateReal(pinning: Pinning, path: NamedPath): EntryLocation | undefined {
  try {
    const location = locateEntry(pinning, path.absolute, { followLinks: false });
    if (realPathOf(location) === path.absolute) return location;
    location.directory.close();
    return undefined;
  } catch (error) {
    if (error instanceof LeadsOutside || ["ENOTDIR", "ELOOP"].includes(errnoOf(error) ?? ""))
      return undefined;
    throw error;
  }
}

async function stateAt(
  location: EntryLocation,
  givenPath: string,
  signal?: AbortSignal,
): Promise<EntryState> {
  const { directory, name, stats } = location;
  if (stats === undefined) return { kind: "nothing" };
  if (stats.isFile()) return fileState(location, givenPath, signal);
  if (stats.isDirectory()) return { kind: "directory", mode: stats.mode & 0o7777 };
  if (stats.isSymbolicLink()) return { kind: "link", target: readlinkSync(directory.at(name)) };
  throw isSpecial(givenPath);
}

const maxTries = 3;

async function fileState(
  { directory, name }: EntryLocation,
  givenPath: string,
  signal: AbortSignal | undefined,
): Promise<EntryState> {
  const handle = openIn(directory, name);
  try {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const before = fstatSync(handle);
      if (!before.isFile()) throw isSpecial(givenPath);
      const hash = await hashPatiently(handle, new TimeSlice(signal));
      const { size, mtimeMs, mode } = fstatSync(handle);
      if (size === before.size && mtimeMs === before.mtimeMs)
        return { kind: "file", hash, bytes: size, mode: mode & 0o7777 };
    }
    throw keepsChanging(givenPath);
  } finally {
    closeSync(handle);
  }
}

/** Implements Environment.changeEntry. */
export async function changeEntry(
  pinning: Pinning,
  path: NamedPath,
  change: EntryChange,
  { announce }: Announcing,
): Promise<void> {
  const location = locateReal(pinning, path);
  if (location === undefined) throw leadsThroughLink(path.given);
  const { directory, name } = location;
  try {
    if (name === ".") throw isWorkspaceItself(path.given);
    pinning.checker.check("write", realPathOf(location), path.given);
    if (location.missing.length > 0) throw notFound(path.given);
    refuseOtherEntry(path.given, await stateAt(location, path.given), change.before);
    const answer = announce?.([]);
    if (answer !== undefined) {
      await answer;
      const now = { ...location, stats: statsAt(directory.at(name)) };
      refuseOtherEntry(path.given, await stateAt(now, path.given), change.before);
    }
    apply(directory, name, change);
    directory.confirm();
  } catch (error) {
    if (errnoOf(error) === "EEXIST") throw isStale(path.given, "there");
    if (errnoOf(error) === "ENOTEMPTY") throw isStale(path.given, "filled");
    throw error;
  } finally {
    directory.close();
  }
}

function apply(directory: PinnedDirectory, name: string, { before, after }: EntryChange): void {
  if (after.kind === "link") symlinkSync(after.target, directory.at(name));
  else if (after.kind === "nothing") (before.kind === "link" ? unlinkSync : rmdirSync)(directory.at(name));
  else {
    if (after.kind === "directory" && before.kind === "nothing") mkdirSync(directory.at(name), 0o700);
    setMode(directory, name, after);
  }
}

/** Sets the mode by a handle on the entry, because setting it by path would follow a link. */
function setMode(
  parent: PinnedDirectory,
  name: string,
  after: { kind: "file" | "directory"; mode: number },
): void {
  const entry = after.kind === "file" ? openIn(parent, name) : parent.child(name);
  try {
    if (typeof entry === "number") fchmodSync(entry, after.mode);
    else entry.setMode(after.mode);
  } finally {
    if (typeof entry === "number") closeSync(entry);
    else entry.close();
  }
}
