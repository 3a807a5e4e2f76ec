import { readFile } from "node:fs/promises";

/** Reads a file of Toolcrib's own package, which tools cannot ask for. */
export function readPackageFile(path: URL): Promise<Uint8Array> {
  return readFile(path);
}
