import type { Announcing, ChangeReceipt, FileChange } from "../../contract/environment.ts";
import { contentHash } from "../../lib/content-hash.ts";
import { asToolError, isDirectory, isStale, isWorkspaceItself } from "../../system/failures.ts";
import { refuseOverlaps } from "../overlaps.ts";
import { asFile, type FileNode, infoOf, type Node, newFile, type Spot, type Tree } from "./tree.ts";

/** See Environment.change. `relative` turns a path as given into one relative to the root. */
export function changeTree(
  tree: Tree,
  changes: readonly FileChange[],
  relative: (path: string) => string,
  announce: Announcing["announce"],
): readonly ChangeReceipt[] {
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
  const receipts = plans.map(({ realPath, stands, after }) => ({
    realPath,
    before: stands && infoOf(stands),
    after: after && infoOf(after),
  }));
  const made = plans.flatMap(({ spot, after }) => (after === undefined ? [] : tree.toBeMade(spot)));
  announce?.([...new Map(made.map((directory) => [directory.realPath, directory])).values(), ...receipts]);
  // Looked up again, one by one: an earlier change may have made the directory.
  for (const { realPath, after } of plans) {
    const spot = tree.find(realPath.slice(tree.rootPath.length), { followLinks: false });
    if (after !== undefined) tree.makeParents(spot).children.set(spot.name, after);
    else if (spot.node !== undefined) spot.directory.children.delete(spot.name);
  }
  return receipts;
}

interface Plan {
  readonly change: FileChange;
  readonly path: string;
  readonly realPath: string;
  readonly spot: Spot;
  readonly stands: Node | undefined;
  /** What counts: for a link that is to go, the file it leads to. */
  readonly before: FileNode | undefined;
  readonly after: FileNode | undefined;
}

function plan(tree: Tree, change: FileChange, relative: (path: string) => string): Plan {
  const { path, after: content } = change;
  const spot = tree.find(relative(path), { followLinks: content !== "nothing" });
  if (spot.name === ".") throw isWorkspaceItself(path);
  const before = contentAt(tree, spot, path, relative);
  if (content !== "nothing" && path.endsWith("/")) throw isDirectory(path);
  tree.gate.pass("write", tree.realPathOf(spot), path);
  const like = before === undefined && change.like !== undefined ? at(tree, change.like, relative) : before;
  const after = content === "nothing" ? undefined : newFile(content, change.mode ?? like?.mode);
  const isAlready = before !== undefined && after?.mode === before.mode && after.bytes.equals(before.bytes);
  return {
    change,
    path,
    realPath: tree.realPathOf(spot),
    spot,
    stands: spot.node,
    before,
    after: isAlready ? before : after,
  };
}

function contentAt(
  tree: Tree,
  { node }: Spot,
  path: string,
  relative: (path: string) => string,
): FileNode | undefined {
  if (node === undefined) return undefined;
  return node.kind === "link" ? at(tree, path, relative) : asFile(node, path);
}

function at(tree: Tree, path: string, relative: (path: string) => string): FileNode {
  try {
    return asFile(tree.findExisting(relative(path), { followLinks: true, givenPath: path }).node, path);
  } catch (error) {
    throw asToolError(error, path);
  }
}
