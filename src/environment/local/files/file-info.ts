import type { Dirent, Stats } from "node:fs";
import type { FileInfo, FileKind } from "../../../contract/environment.ts";

/** What the contract says about a file, from what the system says. */
export function fileInfo(stats: Stats): FileInfo {
  return { kind: fileKind(stats), bytes: stats.size, modifiedMs: stats.mtimeMs, mode: stats.mode & 0o7777 };
}

export function fileKind(entry: Stats | Dirent<string | Buffer>): FileKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "link" : "other";
}
