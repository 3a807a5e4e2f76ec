import { closeSync, fstatSync, readlinkSync } from "node:fs";
import type { EntryState } from "../../../contract/history.ts";
import { Breath } from "../../../lib/breath.ts";
import { hashPatiently } from "../../../system/content.ts";
import { errnoOf, isSpecial, keepsChanging, LeadsOutside } from "../../../system/failures.ts";
import { openIn } from "../../../system/pinning/open-in.ts";
import type { Pinning } from "../../../system/pinning/pinning.ts";
import { findPlace, type Place, realPathOf } from "./place.ts";
import type { NamedPath } from "./read-file.ts";

/** See Environment.state. */
export async function entryState(
  pinning: Pinning,
  path: NamedPath,
  signal: AbortSignal | undefined,
): Promise<EntryState> {
  const place = findRealPlace(pinning, path);
  if (place === undefined) return { kind: "nothing" };
  try {
    return await stateAt(place, path.given, signal);
  } finally {
    place.directory.close();
  }
}

/** Where a path leads that is real; undefined when a link or a file is among its directories. */
export function findRealPlace(pinning: Pinning, path: NamedPath): Place | undefined {
  try {
    const place = findPlace(pinning, path.absolute, { followLinks: false });
    if (realPathOf(place) === path.absolute) return place;
    place.directory.close();
    return undefined;
  } catch (error) {
    if (error instanceof LeadsOutside || ["ENOTDIR", "ELOOP"].includes(errnoOf(error) ?? ""))
      return undefined;
    throw error;
  }
}

/** What stands at a place. */
export async function stateAt(place: Place, givenPath: string, signal?: AbortSignal): Promise<EntryState> {
  const { directory, name, stats } = place;
  if (stats === undefined) return { kind: "nothing" };
  if (stats.isFile()) return fileState(place, givenPath, signal);
  if (stats.isDirectory()) return { kind: "directory", mode: stats.mode & 0o7777 };
  if (stats.isSymbolicLink()) return { kind: "link", target: readlinkSync(directory.at(name)) };
  throw isSpecial(givenPath);
}

const maxTries = 3;

async function fileState(
  { directory, name }: Place,
  givenPath: string,
  signal: AbortSignal | undefined,
): Promise<EntryState> {
  const handle = openIn(directory, name);
  try {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const before = fstatSync(handle);
      if (!before.isFile()) throw isSpecial(givenPath);
      const hash = await hashPatiently(handle, new Breath(signal));
      const { size, mtimeMs, mode } = fstatSync(handle);
      if (size === before.size && mtimeMs === before.mtimeMs)
        return { kind: "file", hash, bytes: size, mode: mode & 0o7777 };
    }
    throw keepsChanging(givenPath);
  } finally {
    closeSync(handle);
  }
}
