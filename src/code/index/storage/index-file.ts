import { join } from "node:path";
import { discardDatabase, identityOf, sizeOf } from "../../../system/sqlite-file.ts";

/** The names of the databases in the folder of an index. */
export const indexName = "index.db";
export const vectorsName = "vectors.db";

export function indexFile(directory: string): string {
  return join(directory, indexName);
}

/** Returns the size of an index with its vectors; undefined when there is none. */
export function sizeOfIndex(directory: string): number | undefined {
  if (identityOf(indexFile(directory)) === undefined) return undefined;
  return sizeOf(indexFile(directory)) + sizeOf(join(directory, vectorsName));
}

export function discardIndex(directory: string): void {
  discard(indexFile(directory));
  discardVectors(directory);
}

export function discardVectors(directory: string): void {
  discard(join(directory, vectorsName));
}

function discard(file: string): void {
  const identity = identityOf(file);
  if (identity !== undefined) discardDatabase(file, identity);
}
