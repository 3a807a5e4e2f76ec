import type { Dirent, Stats } from "node:fs";
import type { FileInfo, FileKind } from "../../../contract/environment.ts";
import { TimeSlice } from "../../../lib/async/time-slice.ts";
import { statsAt } from "../../../system/attempt.ts";
import { withSlash } from "../../../system/workspace-path.ts";

export function fileInfo(stats: Stats): FileInfo {
  return { kind: fileKind(stats), bytes: stats.size, modifiedMs: stats.mtimeMs, mode: stats.mode & 0o7777 };
}

export function fileKind(entry: Stats | Dirent<string | Buffer>): FileKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "link" : "other";
}

/**
 * Implements Environment.modifiedTimes. It reads by path, because pinning each directory would take three times as
 * long. An attacker who swaps a directory for a link could only learn when a file of the same name was changed.
 */
export async function readModifiedTimes(
  workspace: string,
  paths: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly (number | undefined)[]> {
  const timeSlice = new TimeSlice(signal);
  const prefix = withSlash(workspace);
  const times: (number | undefined)[] = [];
  for (const path of paths) {
    const stats = statsAt(prefix + path);
    times.push(stats?.isFile() ? stats.mtimeMs : undefined);
    if (timeSlice.isOver) await timeSlice.next();
  }
  return times;
}
