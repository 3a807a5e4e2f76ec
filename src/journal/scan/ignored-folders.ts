import { kindOfMode, type Snapshot } from "../../contract/snapshot.ts";
import { showPath } from "../../lib/show-path.ts";
import { modeAt } from "./ledger.ts";

/** The folders that are not looked into because git ignores them: what changes there is neither seen nor kept. */
export function ignoredFolders(snapshot: Snapshot): readonly string[] {
  return Array.from(snapshot.leftOut).flatMap(([place, reason]) =>
    reason === "ignored" && kindOfMode(modeAt(snapshot, place)) === "directory"
      ? [snapshot.paths[place]!]
      : [],
  );
}

export function tellIgnored(folders: readonly string[]): string {
  const more = folders.length - maxNamed;
  const names = folders.slice(0, maxNamed).map(showPath);
  return `any change inside ignored folders (${[...names, ...(more > 0 ? [`${more} more`] : [])].join(", ")})`;
}

const maxNamed = 5;
