import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Whether this directory or one above it has a `.git`. Git finds no repository without one, and takes longer to say so. */
export function hasRepository(directory: string): boolean {
  for (let path = directory; ; path = dirname(path)) {
    if (existsSync(join(path, ".git"))) return true;
    if (path === dirname(path)) return false;
  }
}
