import {
  type Entry,
  type LeftOut,
  type Snapshot,
  type SnapshotOptions,
  typeBits,
  unchangedSince,
} from "../../contract/snapshot.ts";
import { type IgnoreFileName, IgnoreLevels, ignoreLevel } from "../../lib/ignore/ignore-rules.ts";
import { IgnoredBudget, namesBelow, smallFileBytes, tooManyEntries } from "../ignored-budget.ts";
import { type DirectoryNode, infoOf, type Node, type Tree } from "./tree.ts";

/** Implements Environment.snapshot. There are no repositories, only ignore files. */
export function snapshotTree(
  tree: Tree,
  {
    without = [],
    like,
    known = like,
    ignored: limits,
    maxEntries = Number.POSITIVE_INFINITY,
  }: SnapshotOptions,
): Snapshot {
  const takenMs = Date.now();
  const entries = new Map<string, Entry>();
  const leftOut = new Map<string, LeftOut>();
  const passedOver = namesBelow(`${tree.rootPath}/`, without);
  const ignored = new IgnoredBudget(limits);
  const enter = (directory: DirectoryNode, path: string, above: IgnoreLevels, isInIgnored: boolean) => {
    const levels = above.with(ignoreLevel(path, rulesIn(directory), directory.children.has(".git")));
    for (const [name, node] of directory.children) {
      const entry = path === "" ? name : `${path}/${name}`;
      if (passedOver.has(entry)) continue;
      if (entries.size >= maxEntries) throw tooManyEntries(maxEntries);
      const figures = entryOf(node);
      entries.set(entry, unchangedSince(known, entry, figures) ?? figures);
      if (node.kind === "file") {
        const { length } = node.bytes;
        const isIgnored =
          isInIgnored || (length > smallFileBytes && levels.decide(entry, "file") === "ignore");
        if (isIgnored && !ignored.stores(length)) leftOut.set(entry, "ignored");
      }
      if (node.kind !== "directory") continue;
      const isIgnored = isInIgnored || levels.decide(entry, "directory") === "ignore";
      const isDecided = ((like?.entries.get(entry)?.mode ?? 0) & typeBits.all) === typeBits.directory;
      const why = isDecided ? like!.leftOut.get(entry) : whyNotEntered(node, name, isIgnored && ignored);
      if (why === undefined) enter(node, entry, levels, isIgnored);
      else leftOut.set(entry, why);
    }
  };
  enter(tree.root, "", new IgnoreLevels([]), false);
  return { takenMs, entries, leftOut, repositories: [] };
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

function entryOf(node: Node): Entry {
  const { bytes, mode, modifiedMs } = infoOf(node);
  return {
    mode: typeBits[node.kind] | mode,
    size: bytes,
    mtimeMs: modifiedMs,
    ctimeMs: modifiedMs,
    ino: numberOf(node),
    dev: 0,
    target: node.kind === "link" ? node.target : undefined,
  };
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
