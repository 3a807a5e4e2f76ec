import { isExhaustion } from "../lib/exhaustion.ts";
import { isWritable } from "./directories.ts";
import { errnoOf } from "./file-errors.ts";

/** How to make a folder of Toolcrib usable again, by the reason why a file in it could not be written. */
export function storageHint(folder: string, cause: unknown): string {
  const { errcode = 0 } = cause as Error & { errcode?: number };
  const errno = errnoOf(cause) ?? "";
  const elsewhere = "or set TOOLCRIB_HOME to a writable folder.";
  if (isExhaustion(cause)) return "Retry when other work has finished, or raise the limit (ulimit -n).";
  if ((errcode & 0xff) === sqliteFull || fullDisk.includes(errno)) return `Free disk space, ${elsewhere}`;
  if ((errcode & 0xff) === sqliteBusy) return "Retry: another process is writing.";
  // SQLite has one code for every failure to open, so the folder is asked.
  const isReadOnly = (errcode & 0xff) === sqliteReadOnly || ["EACCES", "EPERM", "EROFS"].includes(errno);
  if (isReadOnly || !isWritable(folder))
    return `Make the folder writable, chmod u+rwx '${folder}', ${elsewhere}`;
  return `Free disk space, ${elsewhere}`;
}

const fullDisk = ["ENOSPC", "EDQUOT", "EFBIG"];
const [sqliteBusy, sqliteReadOnly, sqliteFull] = [5, 8, 13] as const;
