import { closeSync, constants, fstatSync, openSync, readSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { allocateBuffer } from "../lib/bytes/large-buffer.ts";
import { undefinedUnlessExhausted } from "../lib/exhaustion.ts";
import { writeFully } from "./content.ts";
import { asToolError } from "./file-errors.ts";
import { removeFile } from "./linked-file.ts";
import { temporaryName } from "./temporary-file.ts";

// Large files in Toolcrib's own folders, which are written and read in pieces.

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

/** Returns the next bytes of a file. Throws a RangeError when there are fewer. */
export type TakeBytes = (count: number) => ArrayBuffer;

/** Opens a file for reading in pieces. Returns undefined when there is none. */
export function openPrivateFile(path: string): { readonly take: TakeBytes; close(): void } | undefined {
  let handle: number;
  try {
    handle = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    return undefinedUnlessExhausted(error);
  }
  let left = fstatSync(handle).size;
  const take = (count: number) => {
    // A damaged file can ask for more memory than there is.
    if (!(count >= 0 && count <= left)) throw new RangeError("The file is too short");
    const memory = allocateBuffer(count);
    const bytes = new Uint8Array(memory, 0, count);
    for (let read = 0; read < count; ) {
      const more = readSync(handle, bytes, read, count - read, null);
      if (more === 0) throw new RangeError("The file is too short");
      read += more;
    }
    left -= count;
    return memory;
  };
  return { take, close: () => closeSync(handle) };
}
