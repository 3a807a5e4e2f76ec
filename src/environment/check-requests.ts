import type { EntryChange, LineRange, Reaching } from "../contract/environment.ts";
import { ToolError } from "../contract/error.ts";
import type { EntryState } from "../contract/history.ts";
import { isNamedTwice, isStale, liesInChangedFile } from "../system/file-errors.ts";

export interface ByteRange extends Reaching {
  readonly offset: number;
  readonly length: number;
}

export function checkLineRange({ first, count, maxBytes }: LineRange): void {
  if (!Number.isSafeInteger(first) || first === 0)
    throw invalid(`There is no line ${first}`, "Count lines from 1, or from the end with negative numbers.");
  if (!isAtLeast(1, count)) throw invalid(`${count} lines cannot be read`, "Ask for at least one line.");
  if (!isAtLeast(1, maxBytes))
    throw invalid(`The limit of ${maxBytes} bytes is invalid`, "Allow at least one byte.");
}

export function checkByteRange({ offset, length }: ByteRange): void {
  if (isAtLeast(0, offset) && isAtLeast(0, length)) return;
  throw invalid(
    `${length} bytes cannot be read from offset ${offset}`,
    "Give whole numbers that are not negative.",
  );
}

function isAtLeast(least: number, value: number): boolean {
  return Number.isSafeInteger(value) && value >= least;
}

function invalid(message: string, hint: string): ToolError {
  return new ToolError("invalid-input", message, { hint });
}

/** Refuses two changes of the same file, and a change inside a path that the same call changes as a file. */
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

/** Refuses a change whose `before` does not match the existing entry. */
export function refuseOtherEntry(path: string, current: EntryState, before: EntryChange["before"]): void {
  if (isSameEntry(current, before)) return;
  if (before.kind === "nothing") throw isStale(path, "there");
  throw isStale(path, current.kind === "nothing" ? "gone" : "changed");
}

function isSameEntry(current: EntryState, before: EntryChange["before"]): boolean {
  if (current.kind === "link") return before.kind === "link" && current.target === before.target;
  if (current.kind === "directory") return before.kind === "directory" && current.mode === before.mode;
  if (current.kind === "file")
    return before.kind === "file" && current.hash === before.hash && current.mode === before.mode;
  return before.kind === "nothing";
}
