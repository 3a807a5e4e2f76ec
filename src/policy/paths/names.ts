import type { Segment } from "../../lib/glob/glob-segment.ts";
import type { Place } from "../policy.ts";
import { fold } from "./fold.ts";
import { namesIn } from "./path-pattern.ts";

/** The names of an absolute path, as written and folded. */
export interface Names {
  readonly exact: readonly string[];
  readonly folded: readonly string[];
  /** The first name inside the workspace; 0 for a path elsewhere. */
  readonly inside: number;
}

export function namesOf(path: string, { workspace }: Place): Names {
  const exact = namesIn(path);
  const isInside =
    path.startsWith(workspace) && (path.length === workspace.length || path[workspace.length] === "/");
  return { exact, folded: foldNames(path, exact), inside: isInside ? countNames(workspace) : 0 };
}

/** Most paths are plain, and folded at once; but what is folded in a name must not become a slash. */
function foldNames(path: string, exact: readonly string[]): readonly string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  if (!/^[\x00-\x7f]*$/.test(path)) return exact.map(fold);
  return /[A-Z]/.test(path) ? exact.map((name) => name.toLowerCase()) : exact;
}

function countNames(path: string): number {
  let count = 0;
  for (let at = 0; at < path.length; at += 1) if (path[at] === "/" && path[at + 1] !== "/") count += 1;
  return path.endsWith("/") ? count - 1 : count;
}

/** Where a pattern begins to count: what stands above the workspace is not what "at any depth" is about. */
export function firstName([first]: readonly Segment[], { inside }: Names): number {
  return first === "**" ? inside : 0;
}
