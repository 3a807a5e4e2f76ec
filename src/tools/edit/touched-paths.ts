import type { ToolAccess } from "../../contract/access.ts";
import type { FileSection } from "../../edit/block.ts";
import type { EditRequest } from "../../edit/edit-request.ts";
import { newPath, spellings } from "../../edit/parse/headers.ts";
import { sectionsIn } from "../../edit/plan-edits.ts";

/** Describes the possible effect of a request on one file, derived from the request alone. */
export interface Touch {
  readonly action: "add" | "update" | "delete" | "move" | "copy";
  /** The paths that the name may refer to, most likely first. The first that exists is used. */
  readonly paths: readonly [string, ...string[]];
  /** The target of a move or copy. */
  readonly to?: string;
}

/** Returns all files that may be touched. Throws `invalid-input` when the request cannot be parsed. */
export function touchesOf(request: EditRequest): readonly Touch[] {
  if (request.kind === "replace" || request.kind === "anchored")
    return [{ action: "update", paths: [request.path] }];
  const touches = sectionsIn(request).map(touchOf);
  return request.kind === "diff" && request.path !== undefined
    ? [{ action: "update", paths: [request.path] }]
    : touches;
}

/** Returns the accesses of an edit, for the policy. */
export function accessesOf(request: EditRequest): readonly ToolAccess[] {
  return withoutRepeats(touchesOf(request).flatMap(accessesOfTouch));
}

/** Returns the accesses of a preview. */
export function previewAccessesOf(request: EditRequest): readonly ToolAccess[] {
  const paths = touchesOf(request).flatMap(({ paths, to }) => (to === undefined ? paths : [...paths, to]));
  return [...new Set(paths)].map((path) => ({ kind: "read", path }));
}

function touchOf(section: FileSection): Touch {
  if (section.kind === "add") return { action: "add", paths: [newPath(section.name)] };
  const [first, ...rest] = new Set(section.names.flatMap((name) => [...spellings(name)]));
  const paths = [first!, ...rest] as const;
  if (section.kind === "delete") return { action: "delete", paths };
  if (section.moveTo === undefined) return { action: "update", paths };
  return { action: section.isCopy ? "copy" : "move", paths, to: newPath(section.moveTo) };
}

function accessesOfTouch({ action, paths, to }: Touch): readonly ToolAccess[] {
  const target: readonly ToolAccess[] = to === undefined ? [] : [{ kind: "write", path: to }];
  switch (action) {
    case "add":
    case "update":
      return paths.map((path) => ({ kind: "write", path }));
    case "delete":
      return paths.map((path) => ({ kind: "delete", path }));
    case "move":
      return [...paths.map((path) => ({ kind: "write", path, link: "itself" }) as const), ...target];
    case "copy":
      return [...paths.map((path) => ({ kind: "read", path }) as const), ...target];
  }
}

function withoutRepeats(accesses: readonly ToolAccess[]): readonly ToolAccess[] {
  return [...new Map(accesses.map((access) => [JSON.stringify(access), access])).values()];
}
