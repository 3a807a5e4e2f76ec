import { accessSync, constants, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import type { PolicyFiles } from "../../system/policy-files.ts";
import { type Finding, well, wrong } from "./finding.ts";

/** Whether the folders can be used, and by nobody else. `state` is that of the workspace. */
export function examineFolders(places: {
  readonly state: string;
  readonly config: string;
  readonly files: PolicyFiles;
}): readonly Finding[] {
  const { state, config, files } = places;
  // What stands here is as secret as the files it was taken from.
  const secret = [state, join(state, "journal.sqlite"), join(state, "blobs"), join(state, "outputs")];
  // Whoever can write here decides what is asked, and what is run.
  const trusted = [config, files.user, files.granted, files.trust, files.servers, files.serversTrust];
  return [
    examine("state", state, findOpen(secret, 0o077), "go-rwx"),
    examine("config", config, findOpen(trusted, 0o022), "go-w"),
  ];
}

function examine(about: string, folder: string, open: string | undefined, change: string): Finding {
  if (statsOf(folder) === undefined) return well(about, `${folder} (not there yet)`);
  if (open !== undefined)
    return wrong(about, `${open} is open to other users`, `Close it: chmod ${change} '${open}'`);
  if (!isWritable(folder))
    return wrong(about, `${folder} cannot be written`, `Give yourself the right: chmod u+rwx '${folder}'`);
  return well(about, folder);
}

function findOpen(paths: readonly string[], bits: number): string | undefined {
  return paths.find((path) => ((statsOf(path)?.mode ?? 0) & bits) !== 0);
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // A folder above it cannot be entered, which is found there.
    return undefined;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
