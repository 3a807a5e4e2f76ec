import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Tells a directory from every other, also from one made later; undefined when there is none. */
export function identityOf(path: string): string | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats?.isDirectory() === true ? [stats.dev, stats.ino, stats.birthtimeNs].join(":") : undefined;
}

/** Where a directory is now below one of these; undefined when it is gone, or far away. */
export function findMoved(tops: readonly string[], identity: string): string | undefined {
  const queue = [...tops];
  for (let next = 0; next < queue.length && next < mostDirectories; next++) {
    for (const entry of directoriesIn(queue[next]!)) {
      const path = join(queue[next]!, entry.name);
      if (identityOf(path) === identity) return path;
      if (entry.name !== ".git") queue.push(path);
    }
  }
  return undefined;
}

const mostDirectories = 20_000;

function directoriesIn(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  } catch {
    return [];
  }
}
