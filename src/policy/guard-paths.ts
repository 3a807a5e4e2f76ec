import type { PathGuard, PathRefusal } from "../contract/guard.ts";
import type { Reach } from "../contract/reach.ts";
import { boundedMemo } from "../lib/bounded-cache.ts";
import { namesOf } from "./paths/path-names.ts";
import { refusingRule } from "./paths/refuse-path.ts";
import type { RuleOrigin } from "./policy.ts";
import type { Policy } from "./rules/compile-policy.ts";
import type { PathRule } from "./rules/rule.ts";

/**
 * The part of a policy that holds wherever a path is reached: secret, protected and denied paths. "write" is asked about
 * what is written, replaced, deleted or moved, which for a directory means all in it. What was said is remembered.
 */
export function guardPaths(policy: Policy): PathGuard {
  const known = {
    read: boundedMemo(maxRemembered, (realPath: string) => refuse(policy, "read", realPath)),
    write: boundedMemo(maxRemembered, (realPath: string) => refuse(policy, "write", realPath)),
  };
  return (use, realPath) => known[use](realPath);
}

const maxRemembered = 4096;

function refuse(policy: Policy, use: "read" | "write", realPath: string): PathRefusal | undefined {
  const names = namesOf(realPath, policy.context);
  const rule =
    refusingRule(policy, use, names, forEveryTool) ??
    (use === "write" ? refusingRule(policy, "delete", names, isClass) : undefined);
  return rule && refusal(rule, use);
}

function forEveryTool({ by }: PathRule): boolean {
  return by === undefined;
}

function isClass({ effect }: PathRule): boolean {
  return effect !== "deny";
}

function refusal(rule: PathRule, use: "read" | "write"): PathRefusal {
  return { reason: reasonOf(rule, use), rule: `${rule.origin.text} (${formatOrigin(rule.origin)})` };
}

/** Why a path is refused, to go on after the path. */
export function reasonOf({ effect, because }: PathRule, use: "read" | "write" | "delete"): string {
  const reason =
    effect === "secret"
      ? "may hold secrets"
      : effect === "protected"
        ? "is protected"
        : `must not be ${past[use]}`;
  return because === undefined ? reason : `${reason}: ${because}`;
}

const past = { read: "read", write: "written", delete: "deleted" } as const;

/** "rules:12", or only the name of what has no lines to look up. */
export function formatOrigin({ level, name, line }: RuleOrigin): string {
  return level === "built-in" ? name : `${name}:${line}`;
}

/** A guard that also keeps what lies outside the workspace to the reach of the room. Paths are real. */
export function guardExtraRoots(guard: PathGuard, reach: Reach, workspace: string): PathGuard {
  const { read = [], write = [], ask = [] } = reach;
  const writable = [workspace, ...write, ...ask];
  const readable = [...writable, ...read];
  return (use, realPath) => {
    const isReached = (use === "write" ? writable : readable).some((directory) =>
      isWithin(realPath, directory),
    );
    return guard(use, realPath) ?? (isReached ? undefined : outOfReach(use));
  };
}

/** Whether a path is a directory or lies in it. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);
}

function outOfReach(use: "read" | "write"): PathRefusal {
  return { reason: `lies outside the workspace, and what may be ${pastUse[use]} beyond it`, rule: "reach" };
}

const pastUse = { read: "read", write: "written" } as const;
