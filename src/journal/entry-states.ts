import type { EntryState } from "../contract/history.ts";

export const nothing: EntryState = { kind: "nothing" };

export function isSameState(one: EntryState, other: EntryState): boolean {
  switch (one.kind) {
    case "nothing":
      return other.kind === "nothing";
    case "link":
      return other.kind === "link" && one.target === other.target;
    case "directory":
      return other.kind === "directory" && one.mode === other.mode;
    case "file":
      return isSameContent(one, other) && other.kind === "file" && one.mode === other.mode;
  }
}

/** Returns whether both are files with the same content. False when a content was never read. */
export function isSameContent(one: EntryState, other: EntryState): boolean {
  return one.kind === "file" && other.kind === "file" && one.hash === other.hash && one.hash !== "";
}

/** Returns whether a path is one of these folders, or is inside one. */
export function liesIn(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => folder === "" || path === folder || path.startsWith(`${folder}/`));
}
