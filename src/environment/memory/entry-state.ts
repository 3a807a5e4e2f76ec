import type { Announcing, EntryChange } from "../../contract/environment.ts";
import type { EntryState } from "../../contract/history.ts";
import { contentHash } from "../../lib/content-hash.ts";
import {
  errnoOf,
  isSpecial,
  isStale,
  isWorkspaceItself,
  LeadsOutside,
  leadsThroughLink,
  notFound,
} from "../../system/failures.ts";
import { refuseOtherEntry } from "../entry-changes.ts";
import { type FileNode, type Node, newDirectory, newLink, pathOf, type Spot, type Tree } from "./tree.ts";

/** See Environment.state. */
export function entryState(tree: Tree, relative: string, givenPath: string): EntryState {
  return stateOf(findRealSpot(tree, relative)?.node, givenPath);
}

export function stateOf(node: Node | undefined, givenPath: string): EntryState {
  switch (node?.kind) {
    case undefined:
      return { kind: "nothing" };
    case "file":
      return { kind: "file", hash: contentHash(node.bytes), bytes: node.bytes.length, mode: node.mode };
    case "link":
      return { kind: "link", target: node.target };
    case "directory":
      return { kind: "directory", mode: node.mode };
    case "other":
      throw isSpecial(givenPath);
  }
}

/** See Environment.changeEntry. */
export function changeEntry(
  tree: Tree,
  relative: string,
  givenPath: string,
  change: EntryChange,
  { announce }: Announcing,
): void {
  const spot = findRealSpot(tree, relative);
  if (spot === undefined) throw leadsThroughLink(givenPath);
  const { directory, name, node } = spot;
  if (name === ".") throw isWorkspaceItself(givenPath);
  tree.gate.pass("write", tree.realPathOf(spot), givenPath);
  if (spot.missing.length > 0) throw notFound(givenPath);
  refuseOtherEntry(givenPath, stateOf(node, givenPath), change.before);
  const { after } = change;
  const isFilled = node?.kind === "directory" && node.children.size > 0;
  if (after.kind === "nothing" && isFilled) throw isStale(givenPath, "filled");
  announce?.([]);
  if (after.kind === "file") directory.children.set(name, { ...(node as FileNode), mode: after.mode });
  else if (after.kind === "link") directory.children.set(name, newLink(after.target));
  else if (after.kind === "directory")
    directory.children.set(
      name,
      newDirectory(after.mode, node?.kind === "directory" ? node.children : undefined),
    );
  else directory.children.delete(name);
}

function findRealSpot(tree: Tree, relative: string): Spot | undefined {
  try {
    const spot = tree.find(relative, { followLinks: false });
    return pathOf(spot) === relative ? spot : undefined;
  } catch (error) {
    if (error instanceof LeadsOutside || ["ENOTDIR", "ELOOP"].includes(errnoOf(error) ?? ""))
      return undefined;
    throw error;
  }
}
