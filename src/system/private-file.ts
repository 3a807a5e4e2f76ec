import { closeSync, constants, openSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { undefinedUnlessExhausted } from "../lib/exhaustion.ts";
import { writeFully } from "./content.ts";
import { asToolError } from "./file-errors.ts";
import { removeFile } from "./moved-file.ts";
import { temporaryName } from "./temporary-file.ts";

/** Writes a file that only the user can read, and replaces an old one at once. Throws `unavailable` without space. */
export function writePrivateFile(path: string, pieces: Iterable<Uint8Array>): void {
  const draft = join(dirname(path), temporaryName());
  try {
    const handle = openSync(draft, newFile, 0o600);
    try {
      for (const piece of pieces) writeFully(handle, piece);
    } finally {
      closeSync(handle);
    }
    renameSync(draft, path);
  } catch (error) {
    removeFile(draft);
    throw asToolError(error, path);
  }
}

const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Reads a file without following a link. Returns undefined when there is none. */
export function readPrivateFile(path: string): Uint8Array | undefined {
  let handle: number;
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    return undefinedUnlessExhausted(error);
  }
  try {
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}
