import { showPath } from "../../lib/show-path.ts";
import { showSize } from "../../lib/show-size.ts";
import type { LinkTarget, ListedDirectory, ListedEntry } from "./list-tree.ts";

/** A listing in words: one line an entry, indented by depth. */
export function showTree(root: ListedDirectory): string {
  const lines = showEntries(root, "");
  return lines.length > 0 ? lines.join("\n") : "[The directory is empty.]";
}

function showEntries(directory: ListedDirectory, indent: string): string[] {
  const lines = (directory.entries ?? []).flatMap((entry) => showEntry(entry, indent));
  const leftOut = [
    ...(directory.beyondLimit > 0 ? [`${directory.beyondLimit} more`] : []),
    ...(directory.notShown > 0 ? [`${directory.notShown} hidden or ignored`] : []),
  ];
  return leftOut.length > 0 ? [...lines, `${indent}[${leftOut.join(", ")}]`] : lines;
}

function showEntry(entry: ListedEntry, indent: string): string[] {
  const name = indent + showPath(entry.name);
  switch (entry.kind) {
    case "directory": {
      const note = entry.isUnreadable ? "  [no permission]" : "";
      return [`${name}/${note}`, ...showEntries(entry, `${indent}  `)];
    }
    case "link":
      return [`${name} -> ${showTarget(entry.target)}`];
    case "other":
      return [`${name}  [FIFO, device or socket]`];
    case "file":
      return [`${name}${entry.bytes === undefined ? "" : `  ${showSize(entry.bytes)}`}`];
  }
}

function showTarget(target: LinkTarget): string {
  return "path" in target ? showPath(target.path) : `[${ways[target.astray]}]`;
}

const ways = {
  outside: "outside the workspace",
  circle: "leads in a circle",
  unreachable: "cannot be followed",
} as const;
