import { join } from "node:path";
import { discardDatabase, identityOf, sizeOf } from "../../../system/sqlite-file.ts";

export function indexFile(directory: string): string {
  return join(directory, "index.db");
}

export function sizeOfIndex(directory: string): number | undefined {
  const file = indexFile(directory);
  return identityOf(file) === undefined ? undefined : sizeOf(file);
}

export function discardIndex(directory: string): void {
  const file = indexFile(directory);
  const identity = identityOf(file);
  if (identity !== undefined) discardDatabase(file, identity);
}
