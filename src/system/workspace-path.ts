import { resolve } from "node:path";
import { ToolError } from "../contract/error.ts";
import { outsideWorkspace } from "./file-errors.ts";

/**
 * The first, lexical boundary check. Returns `path` relative to the workspace and normalised, "" for the workspace.
 * `workspaces`: the spellings of one workspace, the real one first.
 */
export function relativeToWorkspace(path: string, workspaces: readonly [string, ...string[]]): string {
  if (isNormal(path)) return path;
  // Most absolute paths take this fast path.
  const top = withSlash(workspaces[0]);
  if (path.startsWith(top) && isNormal(path.slice(top.length))) return path.slice(top.length);
  if (path === "")
    throw new ToolError("invalid-input", "The path is empty", { hint: `Use "." for the workspace.` });
  if (path.includes("\0")) {
    throw new ToolError("invalid-input", "The path contains a NUL byte", {
      hint: "Give the path without it.",
    });
  }
  const absolute = resolve(workspaces[0], path);
  for (const workspace of workspaces) {
    if (absolute === workspace) return "";
    const prefix = withSlash(workspace);
    if (absolute.startsWith(prefix)) return absolute.slice(prefix.length);
  }
  throw outsideWorkspace(path, workspaces[0]);
}

/** Whether a path is relative and normalised. */
export function isNormal(path: string): boolean {
  return !needsNormalising.test(path);
}

// Matches a NUL byte, or a part that is empty, "." or "..", and therefore also an empty path, an absolute path and
// "a/".
const needsNormalising = /\0|(?:^|\/)\.{0,2}(?:\/|$)/;

/** Whether `path`, absolute and real, is `directory` or lies below it. */
export function liesInside(path: string, directory: string): boolean {
  return (
    path.startsWith(directory) && (path.length === directory.length || path.startsWith(withSlash(directory)))
  );
}

export function withSlash(directory: string): string {
  return directory.endsWith("/") ? directory : `${directory}/`;
}

export function singleName(name: string): string {
  if (name !== "" && name !== "." && name !== ".." && !name.includes("/") && !name.includes("\0"))
    return name;
  throw new ToolError("invalid-input", `${JSON.stringify(name)} is not a single name`, {
    hint: "Open the directory in between first.",
  });
}
