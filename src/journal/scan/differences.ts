import { isSettled, kindOfMode, type Snapshot } from "../../contract/snapshot.ts";
import { looksSame, modeAt, placesIn } from "./ledger.ts";

/** A path at which something may have changed, with its places in the snapshots that have it. */
export interface Difference {
  readonly path: string;
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** What may have changed between two snapshots: removed first, what is in a directory before the directory. */
export function differencesOf(before: Snapshot, after: Snapshot): readonly Difference[] {
  const removed: Difference[] = [];
  const others: Difference[] = [];
  const seen = new Uint8Array(before.paths.length);
  const placeOf = placesIn(before);
  for (const [place, path] of after.paths.entries()) {
    const earlier = placeOf(path);
    if (earlier !== undefined) seen[earlier] = 1;
    if (earlier === undefined || mayDiffer(before, earlier, after, place))
      others.push({ path, before: earlier, after: place });
  }
  for (let place = before.paths.length - 1; place >= 0; place -= 1) {
    if (seen[place] === 0) removed.push({ path: before.paths[place]!, before: place, after: undefined });
  }
  return [...removed, ...others];
}

function mayDiffer(before: Snapshot, earlier: number, after: Snapshot, place: number): boolean {
  const mode = modeAt(before, earlier);
  if (mode !== modeAt(after, place)) return true;
  const kind = kindOfMode(mode);
  // What is in it is compared entry by entry.
  if (kind === "directory" && !before.leftOut.has(earlier)) return false;
  return (kind === "file" && !isSettled(before, earlier)) || !looksSame(before, earlier, after, place);
}
