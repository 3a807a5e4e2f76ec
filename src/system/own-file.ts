import { readFile } from "node:fs/promises";

/** A file of our own package: nothing that a tool could ask for. */
export function readOwnFile(place: URL): Promise<Uint8Array> {
  return readFile(place);
}
