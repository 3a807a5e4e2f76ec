import { posix } from "node:path";
import type { ToolAccess } from "../../contract/access.ts";
import { figure, type Snapshot } from "../../contract/snapshot.ts";
import { fileRoles, roleOf } from "../../lib/file-roles.ts";
import { bytesAt } from "./ledger.ts";

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

/**
 * Sorts files by how likely a command changes them and nothing else has their content: source code first, generated
 * files last, small ones before large ones, then the newest.
 */
export function byLikelihood(snapshot: Snapshot, positions: readonly number[]): readonly number[] {
  if (positions.length < 2) return positions;
  const ranks = new Float64Array(snapshot.entries.count);
  for (const position of positions) {
    const size = sizes.findIndex((bytes) => bytesAt(snapshot, position) <= bytes);
    ranks[position] = roleOrder[roleOf(snapshot.entries.pathAt(position))]! * sizes.length + size;
  }
  const modified = (position: number) => snapshot.entries.figureAt(position, figure.modified);
  return positions.toSorted((one, other) => ranks[one]! - ranks[other]! || modified(other) - modified(one));
}

const roleOrder = fileRoles.map((role) => ({ code: 0, generated: 2 })[role as string] ?? 1);

const sizes = [64 * 1024, 1024 * 1024, Number.POSITIVE_INFINITY];
