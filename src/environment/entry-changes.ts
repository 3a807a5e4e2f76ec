import type { EntryChange } from "../contract/environment.ts";
import type { EntryState } from "../contract/history.ts";
import { isStale } from "../system/failures.ts";

/** Refuses a change of something else than it takes to be there. */
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
