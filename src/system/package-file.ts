import { readFile } from "node:fs/promises";

/** Reads a file of Toolcrib's own package, which no tool can read. */
export function readPackageFile(path: URL): Promise<Uint8Array> {
  return readFile(path);
}
