import { posix } from "node:path";
import type { ToolAccess } from "../../contract/access.ts";
import type { PathContext } from "../policy.ts";

/** The target of a path. */
export type PathTarget =
  /** A handle of a stored output, not a path. */
  | { readonly kind: "output" }
  /** `spelled` is the path as passed to the environment, and `real` the target of its links, if different. */
  | {
      readonly kind: "known";
      readonly spelled: string;
      readonly path: string;
      readonly real: string | undefined;
    };

/** Returns the target of a path given to a tool. It is a stored output only if it is in Toolcrib's own directory. */
export function givenPath(
  { kind, path }: Extract<ToolAccess, { path: string }>,
  context: PathContext,
  realPaths: ReadonlyMap<string, string>,
): PathTarget {
  const target = namedPath(path, context, realPaths);
  const isHandle = kind === "read" && /^out_[0-9a-z]{12,32}$/.test(path);
  const isOurs = isHandle && context.own.some((directory) => target.real?.startsWith(`${directory}/`));
  return isOurs ? { kind: "output" } : target;
}

/** Returns the target of a path, absolute or relative to the workspace. */
export function namedPath(
  spelled: string,
  { workspace }: PathContext,
  realPaths: ReadonlyMap<string, string>,
): Extract<PathTarget, { kind: "known" }> {
  const normal = posix.normalize(spelled.startsWith("/") ? spelled : `${workspace}/${spelled}`);
  const path = normal.length > 1 && normal.endsWith("/") ? normal.slice(0, -1) : normal;
  return { kind: "known", spelled, path, real: realPaths.get(spelled) };
}
