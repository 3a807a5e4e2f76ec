import {
  chmodSync,
  closeSync,
  constants,
  ftruncateSync,
  lstatSync,
  openSync,
  renameSync,
  type Stats,
  statSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import type { Entry } from "./entries-below.ts";

/** What is seen instead of hidden files. */
export function coversFor(hidden: readonly Entry[], folder: string): ReadonlyMap<string, string> {
  const files = hidden.filter(({ kind }) => kind === "file");
  return new Map(
    files.flatMap(({ path }) => {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats?.isFile() === true ? [[path, coverFile(stats, folder)]] : [];
    }),
  );
}

/**
 * A file that nobody may open, kept in `folder`, to be seen instead of one that is hidden. Size, time and permission to
 * run are the same, so that git takes a tracked file for unchanged without reading it.
 */
function coverFile(hidden: Stats, folder: string): string {
  const mode = hidden.mode & constants.S_IXUSR;
  const path = join(folder, `cover-${hidden.size}-${hidden.mtimeMs}-${mode}`);
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return path;
  const draft = `${path}.draft`;
  const handle = openSync(draft, "w", 0o600);
  try {
    ftruncateSync(handle, hidden.size);
  } finally {
    closeSync(handle);
  }
  utimesSync(draft, hidden.mtimeMs / 1000, hidden.mtimeMs / 1000);
  chmodSync(draft, mode);
  renameSync(draft, path);
  return path;
}

/** With these git compares no more than what covers have. */
export const coverSettings: Readonly<Record<string, string>> = {
  "core.checkStat": "minimal",
  "core.trustctime": "false",
};
