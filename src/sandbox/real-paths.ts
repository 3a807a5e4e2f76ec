import { existsSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { attempt } from "../system/attempt.ts";
import { liesInside } from "../system/workspace-path.ts";

/** The path without links; undefined when nothing is there. */
export function realPathOf(path: string): string | undefined {
  return attempt(() => realpathSync.native(path));
}

/** Those that exist, without links. */
export function realPathsOf(paths: readonly string[]): readonly string[] {
  return paths.map(realPathOf).filter((path) => path !== undefined);
}

/** Whether it exists and no link is part of the path: a mount on any other path would appear elsewhere. */
export function isReal(path: string): boolean {
  return realPathOf(path) === path;
}

/** Whether `path` is one of these, or lies in one. */
export function isInOneOf(path: string, paths: ReadonlySet<string>): boolean {
  return paths.has(path) || (path !== "/" && isInOneOf(dirname(path), paths));
}

/** The directories between a workspace and a path in it, the outermost first. */
export function directoriesAbove(path: string, workspace: string): readonly string[] {
  const parent = dirname(path);
  if (parent === workspace || !liesInside(parent, workspace)) return [];
  return [...directoriesAbove(parent, workspace), parent];
}

/** Whether a file created at this path would be where the path says. */
export function hasRealParent(path: string): boolean {
  const parent = dirname(path);
  return existsSync(parent) ? isReal(parent) : parent !== path && hasRealParent(parent);
}
