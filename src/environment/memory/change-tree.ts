import type {
  Announcing,
  ChangeReceipt,
  Effect,
  EntryChange,
  FileChange,
} from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { EntryState } from "../../contract/history.ts";
import { throwIfAborted } from "../../lib/async/abort.ts";
import { contentHash } from "../../lib/bytes/content-hash.ts";
import {
  asToolError,
  errnoOf,
  isDirectory,
  isSpecial,
  isStale,
  isWorkspaceItself,
  LeadsOutside,
  leadsThroughLink,
  notFound,
} from "../../system/file-errors.ts";
import { refuseOtherEntry, refuseOverlaps } from "../check-requests.ts";
import {
  asFile,
  type FileNode,
  infoOf,
  type Node,
  newDirectory,
  newFile,
  newLink,
  pathOf,
  type Spot,
  type Tree,
} from "./tree.ts";

/** A change that was checked and can be made at once. */
export interface PlannedChange<Result> {
  /** The affected entries. They are replaced by others when they change. */
  readonly nodes: readonly (Node | undefined)[];
  readonly effects: readonly Effect[];
  make(): Result;
}

/** Announces a planned change and makes it. After waiting for the answer, plans again and refuses other entries. */
export async function announcing<Result>(
  path: string,
  { announce, signal }: Announcing & { readonly signal?: AbortSignal | undefined },
  plan: () => PlannedChange<Result>,
): Promise<Result> {
  throwIfAborted(signal);
  const first = plan();
  const answer = announce?.(first.effects);
  if (answer === undefined) return first.make();
  await answer;
  throwIfAborted(signal);
  const { nodes, effects, make } = planAgain(path, plan);
  const isSame =
    nodes.length === first.nodes.length &&
    nodes.every((node, index) => node === first.nodes[index]) &&
    effects.every(({ realPath }, index) => realPath === first.effects[index]?.realPath);
  if (!isSame) throw isStale(path, "changed");
  return make();
}

/** Plans again. A change that was possible and no longer is meets an entry that has changed. */
function planAgain<Result>(path: string, plan: () => PlannedChange<Result>): PlannedChange<Result> {
  try {
    return plan();
  } catch (error) {
    if (error instanceof ToolError && error.code !== "stale") throw isStale(path, "changed");
    throw error;
  }
}

/** Plans Environment.change. `relative` converts the caller's path to one relative to the root. */
export function changeTree(
  tree: Tree,
  changes: readonly FileChange[],
  relative: (path: string) => string,
): PlannedChange<readonly ChangeReceipt[]> {
  const plans = changes.map((change) => {
    try {
      return plan(tree, change, relative);
    } catch (error) {
      throw asToolError(error, change.path);
    }
  });
  refuseOverlaps(plans);
  for (const { before, change } of plans) {
    if (before === undefined && change.before !== "nothing") throw isStale(change.path, "gone");
    if (before !== undefined && change.before === "nothing") throw isStale(change.path, "there");
  }
  for (const { before, change } of plans) {
    if (before !== undefined && contentHash(before.bytes) !== change.before)
      throw isStale(change.path, "changed");
  }
  const receipts = plans.map(({ realPath, spot, after }) => ({
    realPath,
    before: spot.node && infoOf(spot.node),
    after: after && infoOf(after),
  }));
  const made = plans.flatMap(({ spot, after }) => (after === undefined ? [] : tree.toBeMade(spot)));
  const make = () => {
    // Each path is looked up again, because an earlier change may have created its directory.
    for (const { realPath, after } of plans) {
      const spot = tree.find(realPath.slice(tree.rootPath.length), { followLinks: false });
      if (after !== undefined) tree.makeParents(spot).children.set(spot.name, after);
      else if (spot.node !== undefined) spot.directory.children.delete(spot.name);
    }
    return receipts;
  };
  return {
    nodes: plans.map(({ spot }) => spot.node),
    effects: [...new Map(made.map((directory) => [directory.realPath, directory])).values(), ...receipts],
    make,
  };
}

interface Plan {
  readonly change: FileChange;
  readonly path: string;
  readonly realPath: string;
  readonly spot: Spot;
  /** The file with the content. For a link that is deleted, this is its target. */
  readonly before: FileNode | undefined;
  readonly after: FileNode | undefined;
}

function plan(tree: Tree, change: FileChange, relative: (path: string) => string): Plan {
  const { path, after: content } = change;
  const spot = tree.find(relative(path), { followLinks: content !== "nothing" });
  if (spot.name === ".") throw isWorkspaceItself(path);
  const { node } = spot;
  const before = node && (node.kind === "link" ? fileAt(tree, path, relative) : asFile(node, path));
  if (content !== "nothing" && path.endsWith("/")) throw isDirectory(path);
  tree.checker.check("write", tree.realPathOf(spot), path);
  const like = before ?? (change.like === undefined ? undefined : fileAt(tree, change.like, relative));
  const after = content === "nothing" ? undefined : newFile(content, change.mode ?? like?.mode);
  const isAlready = before !== undefined && after?.mode === before.mode && after.bytes.equals(before.bytes);
  return { change, path, realPath: tree.realPathOf(spot), spot, before, after: isAlready ? before : after };
}

function fileAt(tree: Tree, path: string, relative: (path: string) => string): FileNode {
  try {
    return asFile(tree.findExisting(relative(path), { followLinks: true, givenPath: path }).node, path);
  } catch (error) {
    throw asToolError(error, path);
  }
}

/** Implements Environment.state. */
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

/** Plans Environment.changeEntry. */
export function changeEntry(
  tree: Tree,
  relative: string,
  givenPath: string,
  change: EntryChange,
): PlannedChange<void> {
  const spot = findRealSpot(tree, relative);
  if (spot === undefined) throw leadsThroughLink(givenPath);
  const { directory, name, node } = spot;
  if (name === ".") throw isWorkspaceItself(givenPath);
  tree.checker.check("write", tree.realPathOf(spot), givenPath);
  if (spot.missing.length > 0) throw notFound(givenPath);
  refuseOtherEntry(givenPath, stateOf(node, givenPath), change.before);
  const { after } = change;
  const isFilled = node?.kind === "directory" && node.children.size > 0;
  if (after.kind === "nothing" && isFilled) throw isStale(givenPath, "filled");
  const make = () => {
    if (after.kind === "file") directory.children.set(name, { ...(node as FileNode), mode: after.mode });
    else if (after.kind === "link") directory.children.set(name, newLink(after.target));
    else if (after.kind === "directory")
      directory.children.set(
        name,
        newDirectory(after.mode, node?.kind === "directory" ? node.children : undefined),
      );
    else directory.children.delete(name);
  };
  return { nodes: [node], effects: [], make };
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
