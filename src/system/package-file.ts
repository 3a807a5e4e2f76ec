import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { attempt } from "./attempt.ts";

/** Reads a file of Toolcrib's own package, which no tool can read. */
export function readPackageFile(path: URL): Promise<Uint8Array> {
  return readFile(path);
}

/** Reads all files of a folder of the package, by their path in it with "/" between names; none without the folder. */
export function readPackageFolder(folder: string): ReadonlyMap<string, Uint8Array<ArrayBuffer>> {
  const entries = attempt(() => readdirSync(folder, { recursive: true, withFileTypes: true })) ?? [];
  const files = entries.filter((entry) => entry.isFile());
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(folder.length + 1), new Uint8Array(readFileSync(path))];
    }),
  );
}
