import type { EntryChange, LineRange } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { EntryState } from "../contract/history.ts";
import { isNamedTwice, isStale, liesInChangedFile } from "../system/file-errors.ts";

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** Refuses line numbers and limits that make no sense. */
export function checkLineRange({ first, count, maxBytes }: LineRange): void {
  if (!Number.isSafeInteger(first) || first === 0) {
    throw new ToolError("invalid-input", `There is no line ${first}`, {
      hint: "Lines count from 1; negative numbers count from the end.",
    });
  }
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new ToolError("invalid-input", `${count} lines cannot be read`, {
      hint: "Ask for at least one line.",
    });
  }
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1) {
    throw new ToolError("invalid-input", `${maxBytes} bytes are no limit`, {
      hint: "Allow at least one byte.",
    });
  }
}

export function checkByteRange({ offset, length }: ByteRange): void {
  if (Number.isSafeInteger(offset) && offset >= 0 && Number.isSafeInteger(length) && length >= 0) return;
  throw new ToolError("invalid-input", `${length} bytes from ${offset} on cannot be read`, {
    hint: "Offset and length are whole numbers from 0 on.",
  });
}

/** Refuses two changes of the same file, and a change below a path that becomes a file itself. */
export function refuseOverlaps(
  changes: readonly { readonly path: string; readonly realPath: string }[],
): void {
  const given = new Map<string, string>();
  for (const { path, realPath } of changes) {
    const other = given.get(realPath);
    if (other !== undefined) throw isNamedTwice(other, path);
    given.set(realPath, path);
  }
  for (const { path, realPath } of changes) {
    for (let cut = realPath.lastIndexOf("/"); cut > 0; cut = realPath.lastIndexOf("/", cut - 1)) {
      const file = given.get(realPath.slice(0, cut));
      if (file !== undefined) throw liesInChangedFile(path, file);
    }
  }
}

/** Refuses a change whose `before` is not the entry that exists. */
export function refuseOtherEntry(path: string, stands: EntryState, before: EntryChange["before"]): void {
  if (isSameEntry(stands, before)) return;
  if (before.kind === "nothing") throw isStale(path, "there");
  throw isStale(path, stands.kind === "nothing" ? "gone" : "changed");
}

function isSameEntry(stands: EntryState, before: EntryChange["before"]): boolean {
  if (stands.kind === "link") return before.kind === "link" && stands.target === before.target;
  if (stands.kind === "directory") return before.kind === "directory" && stands.mode === before.mode;
  if (stands.kind === "file")
    return before.kind === "file" && stands.hash === before.hash && stands.mode === before.mode;
  return before.kind === "nothing";
}
