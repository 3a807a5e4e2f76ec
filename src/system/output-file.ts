import { constants } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { join } from "node:path";

/** A file that grows while output is produced, and can be read at the same time. */
export interface OutputFile {
  /** Rejects when the text cannot be written. */
  append(text: string): Promise<void>;
  close(): Promise<void>;
  /** Closes and deletes the file. */
  remove(): Promise<void>;
}

/** Opens a private file, which is created when the first text is written. */
export function openOutputFile(folder: string, name: string): OutputFile {
  const path = join(folder, name);
  let file: FileHandle | undefined;
  const close = async () => {
    await file?.close();
    file = undefined;
  };
  return {
    append: async (text) => {
      file ??= await open(path, flags, 0o600);
      await file.writeFile(text);
    },
    close,
    remove: async () => {
      await close();
      await unlink(path).catch(() => {});
    },
  };
}

const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
