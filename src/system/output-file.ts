import { constants } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { join } from "node:path";

/** A file that grows while an output is produced, and can be read meanwhile. */
export interface OutputFile {
  /** Rejects when the disk refuses it. */
  append(text: string): Promise<void>;
  close(): Promise<void>;
  /** Also closes it. */
  remove(): Promise<void>;
}

/** A private file, created by the first text. */
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
