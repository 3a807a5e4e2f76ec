import { kindOfMode, type Snapshot } from "../../contract/snapshot.ts";
import { showPath } from "../../lib/text/printable.ts";
import { modeAt } from "./ledger.ts";

/**
 * Returns the folders that are not scanned because git ignores them. Changes in them are neither detected nor stored.
 */
export function ignoredFolders(snapshot: Snapshot): readonly string[] {
  return Array.from(snapshot.leftOut).flatMap(([position, reason]) =>
    reason === "ignored" && kindOfMode(modeAt(snapshot, position)) === "directory"
      ? [snapshot.entries.pathAt(position)]
      : [],
  );
}

export function describeIgnored(folders: readonly string[]): string {
  const more = folders.length - maxNamedFolders;
  const names = folders.slice(0, maxNamedFolders).map(showPath);
  return `any change inside ignored folders (${[...names, ...(more > 0 ? [`${more} more`] : [])].join(", ")})`;
}

const maxNamedFolders = 5;
