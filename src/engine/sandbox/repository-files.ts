import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * Whether git would obey a file because it makes its directory a repository, or is a setting or hook of one without
 * `.git`: a directory is one with `HEAD` and `commondir`, or with `HEAD`, `objects` and `refs`.
 */
export function isOfRepository(path: string, exists: (path: string) => boolean = existsSync): boolean {
  const name = basename(path);
  const directory = dirname(path);
  if (name === "HEAD" || name === "commondir") return true;
  if (name === "config" || name === "config.worktree") return exists(join(directory, "HEAD"));
  return basename(directory) === "hooks" && exists(join(dirname(directory), "HEAD"));
}
