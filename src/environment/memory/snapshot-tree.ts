import { type LeftOut, type Snapshot, type SnapshotOptions, typeBits } from "../../contract/snapshot.ts";
import { type IgnoreFileName, IgnoreLevels, ignoreLevel } from "../../lib/ignore/ignore-rules.ts";
import { directoriesOf, namesBelow, SnapshotColumns } from "../snapshot-columns.ts";
import { type DirectoryNode, infoOf, type Node, type Tree } from "./tree.ts";

/** See Environment.snapshot. There are no repositories, only ignore files. */
export function snapshotTree(tree: Tree, { without = [], like }: SnapshotOptions): Snapshot {
  const columns = new SnapshotColumns();
  const decided = directoriesOf(like);
  const passedOver = namesBelow(`${tree.rootPath}/`, without);
  const enter = (directory: DirectoryNode, path: string, above: IgnoreLevels) => {
    const levels = above.with(ignoreLevel(path, rulesIn(directory), directory.children.has(".git")));
    for (const [name, node] of directory.children) {
      const entry = path === "" ? name : `${path}/${name}`;
      if (passedOver.has(entry)) continue;
      const place = columns.add(entry, figuresOf(node));
      if (node.kind === "link") columns.targets.set(place, node.target);
      if (node.kind === "file" && node.bytes.length > maxIgnoredBytes && isIgnored(levels, entry, "file"))
        columns.leftOut.set(place, "ignored");
      if (node.kind !== "directory") continue;
      const why = decided.has(entry) ? decided.get(entry) : whyNotEntered(entry, name, levels);
      if (why === undefined) enter(node, entry, levels);
      else columns.leftOut.set(place, why);
    }
  };
  enter(tree.root, "", new IgnoreLevels([]));
  return columns.done();
}

const maxIgnoredBytes = 1024 * 1024;

function whyNotEntered(path: string, name: string, levels: IgnoreLevels): LeftOut | undefined {
  if (name === ".git") return "repository";
  return isIgnored(levels, path, "directory") ? "ignored" : undefined;
}

function isIgnored(levels: IgnoreLevels, path: string, kind: "file" | "directory"): boolean {
  return levels.decide(path, kind) === "ignore";
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

/** A written file is a new node, so its number serves as an inode. */
function numberOf(node: Node): number {
  const known = numbers.get(node);
  if (known !== undefined) return known;
  lastNumber += 1;
  numbers.set(node, lastNumber);
  return lastNumber;
}

const numbers = new WeakMap<Node, number>();
let lastNumber = 0;
