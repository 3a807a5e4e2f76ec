import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { attempt } from "../system/attempt.ts";
import { liesInside } from "../system/workspace-path.ts";

/** Returns the path without links; undefined when it does not exist. */
export function realPathOf(path: string): string | undefined {
  return attempt(() => realpathSync.native(path));
}

/** Returns the existing paths among these, without links. */
export function realPathsOf(paths: readonly string[]): readonly string[] {
  return paths.map(realPathOf).filter((path) => path !== undefined);
}

/** Whether a path exists and contains no link. A mount on any other path would appear elsewhere. */
export function isReal(path: string): boolean {
  return realPathOf(path) === path;
}

/** Whether `path` is one of these, or is inside one. */
export function isInOneOf(path: string, paths: ReadonlySet<string>): boolean {
  return paths.has(path) || (path !== "/" && isInOneOf(dirname(path), paths));
}

/** Returns the directories between a workspace and a path in it, outermost first. */
export function directoriesAbove(path: string, workspace: string): readonly string[] {
  const parent = dirname(path);
  if (parent === workspace || !liesInside(parent, workspace)) return [];
  return [...directoriesAbove(parent, workspace), parent];
}
