import { closeSync, fstatSync, readlinkSync } from "node:fs";
import type { EntryState } from "../../../contract/history.ts";
import { Breath } from "../../../text/breath.ts";
import { isSpecial, keepsChanging, leadsThroughLink } from "../../failures.ts";
import { hashPatiently } from "../changes/content.ts";
import type { Pinning } from "../pinning/pinning.ts";
import { findPlace, type Place, realPathOf } from "./place.ts";
import { type NamedPath, openIn } from "./read-file.ts";

/** See Environment.state. */
export async function entryState(
  pinning: Pinning,
  path: NamedPath,
  signal: AbortSignal | undefined,
): Promise<EntryState> {
  const place = findRealPlace(pinning, path);
  try {
    return place.stats?.isFile() ? await fileState(place, path, signal) : plainState(place, path.given);
  } finally {
    place.directory.close();
  }
}

/** Where a real path leads: there is no link among its directories. */
export function findRealPlace(pinning: Pinning, path: NamedPath): Place {
  const place = findPlace(pinning, path.absolute, { followLinks: false });
  if (realPathOf(place) === path.absolute) return place;
  place.directory.close();
  throw leadsThroughLink(path.given);
}

/** What stands at a place, if it is no file. */
export function plainState({ directory, name, stats }: Place, givenPath: string): EntryState {
  if (stats === undefined) return { kind: "nothing" };
  if (stats.isDirectory()) return { kind: "directory", mode: stats.mode & 0o7777 };
  if (stats.isSymbolicLink()) return { kind: "link", target: readlinkSync(directory.at(name)) };
  throw isSpecial(givenPath);
}

const maxTries = 3;

async function fileState(
  { directory, name }: Place,
  path: NamedPath,
  signal: AbortSignal | undefined,
): Promise<EntryState> {
  const handle = openIn(directory, name);
  try {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const before = fstatSync(handle);
      if (!before.isFile()) throw isSpecial(path.given);
      const hash = await hashPatiently(handle, new Breath(signal));
      const { size, mtimeMs, mode } = fstatSync(handle);
      if (size === before.size && mtimeMs === before.mtimeMs)
        return { kind: "file", hash, bytes: size, mode: mode & 0o7777 };
    }
    throw keepsChanging(path.given);
  } finally {
    closeSync(handle);
  }
}
