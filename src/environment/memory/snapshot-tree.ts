import { type LeftOut, type Snapshot, type SnapshotOptions, typeBits } from "../../contract/snapshot.ts";
import { type IgnoreFileName, IgnoreLevels, ignoreLevel } from "../../lib/ignore/ignore-rules.ts";
import {
  directoriesOf,
  IgnoredBudget,
  namesBelow,
  SnapshotColumns,
  smallFileBytes,
} from "../snapshot-columns.ts";
import { type DirectoryNode, infoOf, type Node, type Tree } from "./tree.ts";

/** Implements Environment.snapshot. There are no repositories, only ignore files. */
export function snapshotTree(tree: Tree, { without = [], like, ignored: limits }: SnapshotOptions): Snapshot {
  const columns = new SnapshotColumns();
  const decided = directoriesOf(like);
  const passedOver = namesBelow(`${tree.rootPath}/`, without);
  const ignored = new IgnoredBudget(limits);
  const enter = (directory: DirectoryNode, path: string, above: IgnoreLevels, isInIgnored: boolean) => {
    const levels = above.with(ignoreLevel(path, rulesIn(directory), directory.children.has(".git")));
    for (const [name, node] of directory.children) {
      const entry = path === "" ? name : `${path}/${name}`;
      if (passedOver.has(entry)) continue;
      const place = columns.add(entry, figuresOf(node));
      if (node.kind === "link") columns.targets.set(place, node.target);
      if (node.kind === "file") {
        const { length } = node.bytes;
        const isIgnored =
          isInIgnored || (length > smallFileBytes && levels.decide(entry, "file") === "ignore");
        if (isIgnored && !ignored.stores(length)) columns.leftOut.set(place, "ignored");
      }
      if (node.kind !== "directory") continue;
      const isIgnored = isInIgnored || levels.decide(entry, "directory") === "ignore";
      const why = decided.has(entry) ? decided.get(entry) : whyNotEntered(node, name, isIgnored && ignored);
      if (why === undefined) enter(node, entry, levels, isIgnored);
      else columns.leftOut.set(place, why);
    }
  };
  enter(tree.root, "", new IgnoreLevels([]), false);
  return columns.done();
}

/** Returns why a directory is not entered, if so. `ignored` is the budget, if the directory is ignored. */
function whyNotEntered(
  node: DirectoryNode,
  name: string,
  ignored: IgnoredBudget | false,
): LeftOut | undefined {
  if (name === ".git") return "repository";
  return ignored && !(ignored.enters(name) && ignored.takes(node.children.size)) ? "ignored" : undefined;
}

function rulesIn({ children }: DirectoryNode): Map<IgnoreFileName, string> {
  const rules = children.get(".gitignore");
  return new Map(rules?.kind === "file" ? [[".gitignore", rules.bytes.toString()]] : []);
}

function figuresOf(node: Node) {
  const { bytes, mode, modifiedMs } = infoOf(node);
  const times = { mtimeMs: modifiedMs, ctimeMs: modifiedMs };
  return { mode: typeBits[node.kind] | mode, size: bytes, ...times, ino: numberOf(node), dev: 0 };
}

/** Returns a number for a node. It serves as an inode, because a written file is a new node. */
function numberOf(node: Node): number {
  const known = numbers.get(node);
  if (known !== undefined) return known;
  lastNumber += 1;
  numbers.set(node, lastNumber);
  return lastNumber;
}

const numbers = new WeakMap<Node, number>();
let lastNumber = 0;
