import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from "node:fs";
import { boundedMemo } from "../lib/bounded-cache.ts";
import { hasOnlyPublicKeys, mayBePublicKeys } from "../lib/public-keys.ts";
import { attempt } from "./attempt.ts";

/**
 * Tells a directory, and a file that contains certificates, public keys or parameters of keys, and nothing else but
 * comments. Undefined for any other entry, and for a file that is unreadable or larger than 1 MiB. Follows links.
 */
export function lookAt(path: string): "directory" | "public keys" | undefined {
  const now = Date.now();
  const stats = attempt(() => statSync(path, { throwIfNoEntry: false }));
  if (stats?.isDirectory()) return "directory";
  if (stats === undefined || !mayBePublicKeys(path) || !isSmallFile(stats)) return undefined;
  const known = verdicts(path);
  const stamp = stampOf(stats);
  if (known.stamp !== stamp) {
    // Clocks of file systems are coarse: a file that has just changed may change again at the same time.
    const isSettled = now - stats.ctimeMs > settledMs;
    const isPublic = hasOnlyPublicKeys(contentOf(path));
    Object.assign(known, { stamp: isSettled ? stamp : undefined, isPublic });
  }
  return known.isPublic ? "public keys" : undefined;
}

const maxBytes = 1024 * 1024;
const settledMs = 2100;

const verdicts = boundedMemo(1000, (_path: string) => ({
  stamp: undefined as string | undefined,
  isPublic: false,
}));

function isSmallFile(stats: Stats): boolean {
  return stats.isFile() && stats.size > 0 && stats.size <= maxBytes;
}

function stampOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join(":");
}

function contentOf(path: string): string {
  const read = attempt(() => {
    // It may have become a named pipe, which would wait for a writer.
    const handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    try {
      return isSmallFile(fstatSync(handle)) ? readFileSync(handle, "latin1") : "";
    } finally {
      closeSync(handle);
    }
  });
  return read ?? "";
}
