import { existsSync, realpathSync } from "node:fs";
import { dirname } from "node:path";

/** What lies behind a link is elsewhere: it would be shown as well, wherever that is. */
export function isReal(path: string): boolean {
  return realIfThere(path)[0] === path;
}

/** Whether it would come to lie where its path says. */
export function hasRealParent(path: string): boolean {
  const parent = dirname(path);
  return existsSync(parent) ? isReal(parent) : parent !== path && hasRealParent(parent);
}

/** Where a path leads; nothing when it is not there. */
export function realIfThere(path: string): readonly string[] {
  try {
    return [realpathSync.native(path)];
  } catch {
    return [];
  }
}
