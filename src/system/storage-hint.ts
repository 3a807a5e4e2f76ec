import { isExhaustion } from "../lib/exhaustion.ts";
import { isWritable } from "./directories.ts";
import { errnoOf } from "./file-errors.ts";

/** Returns how to make a folder of Toolcrib usable again: a hint for the model, and one for the user. */
export function storageHints(
  folder: string,
  cause: unknown,
): { readonly hint: string; readonly forUser: string } {
  const { errcode = 0 } = cause as Error & { errcode?: number };
  const errno = errnoOf(cause) ?? "";
  const elsewhere = "or set TOOLCRIB_HOME to a writable folder.";
  const full = { hint: "Ask the user to free disk space.", forUser: `Free disk space, ${elsewhere}` };
  if (isExhaustion(cause)) {
    const later = "Retry when other work has finished";
    return { hint: `${later}.`, forUser: `${later}, or raise the limit of open files: ulimit -n 4096` };
  }
  if ((errcode & 0xff) === sqliteFull || fullDisk.includes(errno)) return full;
  if ((errcode & 0xff) === sqliteBusy) return { hint: busy, forUser: busy };
  // SQLite has one code for every failure to open, so the folder is asked.
  const isReadOnly = (errcode & 0xff) === sqliteReadOnly || ["EACCES", "EPERM", "EROFS"].includes(errno);
  if (isReadOnly || !isWritable(folder))
    return {
      hint: "Ask the user to run: toolcrib doctor",
      forUser: `Make the folder writable, chmod u+rwx '${folder}', ${elsewhere}`,
    };
  return full;
}

const busy = "Retry: another process is writing.";

const fullDisk = ["ENOSPC", "EDQUOT", "EFBIG"];
const [sqliteBusy, sqliteReadOnly, sqliteFull] = [5, 8, 13] as const;
