import { existsSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { attempt } from "../system/attempt.ts";

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

/** Whether a file created at this path would be where the path says. */
export function hasRealParent(path: string): boolean {
  const parent = dirname(path);
  return existsSync(parent) ? isReal(parent) : parent !== path && hasRealParent(parent);
}
