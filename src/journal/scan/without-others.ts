import type { Change, EntryState } from "../../contract/history.ts";
import type { Blobs } from "../blobs.ts";
import { isSameState, liesIn } from "../entry-states.ts";
import type { RecordedChange } from "../record.ts";

/**
 * Leaves out of what was found what other calls did at the same time: they have their own records. Where the command has
 * changed what another call had left, its change begins there.
 */
export function withoutOthers(
  found: readonly Change[],
  others: readonly RecordedChange[],
  blobs: Pick<Blobs, "has">,
): readonly Change[] {
  if (others.length === 0) return found;
  const left = new Map<string, EntryState>(others.map(({ path, after }) => [path, after]));
  const moved = others.flatMap((change) => (isMovedTree(change) ? [change.path] : []));
  return found.flatMap((change) => {
    const state = left.get(change.path);
    if (state === undefined) return liesIn(change.path, moved) ? [] : [change];
    if (isSameState(state, change.after)) return [];
    const { lost: _, ...rest } = change;
    const isLost = state.kind === "file" && !blobs.has(state.hash);
    return [{ ...rest, before: state, ...(isLost && { lost: "another call changed it at the same time" }) }];
  });
}

/** Of a directory that was moved only the directory itself is on record. */
function isMovedTree({ moved, before, after }: RecordedChange): boolean {
  return moved !== undefined && (before.kind === "directory" || after.kind === "directory");
}
