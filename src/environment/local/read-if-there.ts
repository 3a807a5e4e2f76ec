import { readFileSync, statSync } from "node:fs";

/** Larger files hold no settings or rules that anybody wrote. */
const usualBytes = 1024 * 1024;

/** The whole of a regular file; undefined when there is none that can be read. */
export function readIfThere(file: string, maxBytes: number = usualBytes): Buffer | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats?.isFile() && stats.size <= maxBytes ? readFileSync(file) : undefined;
  } catch {
    return undefined;
  }
}
