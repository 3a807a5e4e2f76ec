import type { PathGuard, PathRefusal } from "../contract/guard.ts";
import type { Reach } from "../contract/reach.ts";

/** A guard that also keeps what lies outside the workspace to the reach of the room. Paths are real. */
export function guardReach(guard: PathGuard, reach: Reach, workspace: string): PathGuard {
  const { read = [], write = [], ask = [] } = reach;
  const writable = [workspace, ...write, ...ask];
  const readable = [...writable, ...read];
  return (use, realPath) => {
    const isReached = (use === "write" ? writable : readable).some((directory) => lies(realPath, directory));
    return guard(use, realPath) ?? (isReached ? undefined : outOfReach(use));
  };
}

/** Whether a path is a directory or lies in it. */
export function lies(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);
}

function outOfReach(use: "read" | "write"): PathRefusal {
  return { reason: `lies outside the workspace, and what may be ${past[use]} beyond it`, rule: "reach" };
}

const past = { read: "read", write: "written" } as const;
