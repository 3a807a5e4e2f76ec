import type { Segment } from "../../text/glob-segment.ts";
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
  return { exact, folded: exact.map(fold), inside: isInside ? namesIn(workspace).length : 0 };
}

/** Where a pattern begins to count: what stands above the workspace is not what "at any depth" is about. */
export function firstName([first]: readonly Segment[], { inside }: Names): number {
  return first === "**" ? inside : 0;
}
