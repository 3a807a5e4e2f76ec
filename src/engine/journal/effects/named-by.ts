import { posix } from "node:path";
import type { ToolAccess } from "../../../contract/access.ts";

/**
 * Returns whether a path is one that the accesses of a call name, or lies in one. Every word of a command that could
 * be a path counts as one: a wrong guess only means that a file is copied earlier than others.
 */
export function namedBy(accesses: readonly ToolAccess[], workspace: string): (path: string) => boolean {
  const named = new Set<string>();
  for (const word of accesses.flatMap((access) => pathsIn(access, workspace))) {
    const path = posix.relative(workspace, word);
    if (!path.startsWith("..")) named.add(path);
  }
  if (named.size === 0) return () => false;
  if (named.has("")) return () => true;
  return (path) => {
    if (named.has(path)) return true;
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      if (named.has(path.slice(0, end))) return true;
    }
    return false;
  };
}

function pathsIn(access: ToolAccess, workspace: string): readonly string[] {
  if (access.kind === "write" || access.kind === "delete") return [posix.resolve(workspace, access.path)];
  if (access.kind !== "execute") return [];
  const directory = posix.resolve(workspace, access.cwd ?? "");
  const words = access.command.split(betweenWords).filter((word) => word !== "");
  const paths = words.map((word) => posix.resolve(directory, beforePattern(word)));
  return directory === workspace ? paths : [directory, ...paths];
}

const betweenWords = /[\s;&|<>()"'`$=,\\]+/;

/** Returns the directory of the names that a pattern such as `src/*.ts` matches, or the word itself. */
function beforePattern(word: string): string {
  const start = word.search(/[*?[{]/);
  return start < 0 ? word : word.slice(0, word.lastIndexOf("/", start) + 1);
}
