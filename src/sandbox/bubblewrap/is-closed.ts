import type { Stats } from "node:fs";

/** A directory of ours into which no command can look, until one opens it again. */
export function isClosed({ uid, mode }: Pick<Stats, "uid" | "mode">): boolean {
  return uid === process.geteuid?.() && (mode & 0o500) !== 0o500;
}
