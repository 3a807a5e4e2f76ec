import { join } from "node:path";
import { discardDatabase, identityOf, sizeOf } from "../../../system/database-file.ts";

/** The database of an index, in the private folder of its workspace. */
export function indexFile(directory: string): string {
  return join(directory, "index.db");
}

/** How many bytes it takes; undefined where there is none. */
export function sizeOfIndex(directory: string): number | undefined {
  const file = indexFile(directory);
  return identityOf(file) === undefined ? undefined : sizeOf(file);
}

/** Throws it away: who uses it at the moment sees so, and makes another. */
export function discardIndex(directory: string): void {
  const file = indexFile(directory);
  const identity = identityOf(file);
  if (identity !== undefined) discardDatabase(file, identity);
}
