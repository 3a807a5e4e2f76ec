import type { ExtraRoots, PathGuard, PathRefusal } from "../contract/guard.ts";
import { boundedMemo } from "../lib/bounded-cache.ts";
import { oncePerObject } from "../lib/once-per-object.ts";
import { namesOf } from "./paths/path-names.ts";
import { isAbout, refusingRule, rulesNear } from "./paths/refuse-path.ts";
import type { RuleOrigin } from "./policy.ts";
import type { Policy } from "./rules/compile-policy.ts";
import type { PathRule } from "./rules/rule.ts";

/**
 * Returns the part of a policy that the environment enforces on every path: secret, protected and denied paths. "write"
 * includes replacing, deleting and moving, for a directory including its content. Decisions by name are cached.
 */
export function guardPaths(policy: Policy): PathGuard {
  const { lookAt, inGit, ...names } = policy.context;
  const byName: GuardRules = {
    context: names,
    // Rules are compiled on first use.
    get paths() {
      return policy.paths;
    },
    get pathsThrough() {
      return policy.pathsThrough;
    },
  };
  const isByName = lookAt === undefined && inGit === undefined;
  const known = {
    read: boundedMemo(maxRemembered, (realPath: string) => refuse(byName, "read", realPath)),
    write: boundedMemo(maxRemembered, (realPath: string) => refuse(byName, "write", realPath)),
  };
  return (use, realPath) => {
    const refusal = known[use](realPath);
    // The entry itself can only make it harmless.
    return refusal === undefined || isByName ? refusal : refuse(policy, use, realPath);
  };
}

const maxRemembered = 4096;

/** Does the same as `guardPaths` without a cache, for many paths that are each checked once. */
export function guardOnce(policy: Policy): PathGuard {
  return (use, realPath) => refuse(policy, use, realPath);
}

/** Returns whether a rule asks before a path is read, even if another rule allows that. */
export function asksToRead(policy: Policy, realPath: string): boolean {
  const names = namesOf(realPath, policy.context);
  return rulesNear(policy, names).some(
    (rule) => rule.effect === "ask" && rule.uses.has("read") && isAbout(rule, "read", names),
  );
}

/** Equal for two policies of one workspace only if their guards refuse, and their rules ask about, the same reads. */
export const readKeyOf = oncePerObject(({ paths, context }: Policy): string => {
  const decides = ({ effect, uses, by }: PathRule) =>
    effect === "open" ||
    (effect === "ask" && uses.has("read")) ||
    (by === undefined && (effect === "secret" || (effect === "deny" && uses.has("read"))));
  // Among rules that conflict, the rank decides.
  const rules = paths.highestFirst.filter(decides);
  return JSON.stringify([
    context.home,
    ...rules.map(({ effect, origin, glob }) => [effect, origin.level, glob]),
  ]);
});

type GuardRules = Pick<Policy, "context" | "paths" | "pathsThrough">;

/** The guard does not know the tool: a rule that opens a path for some tools counts. */
export function isForAll({ by, effect }: PathRule): boolean {
  return by === undefined || effect === "open";
}

function refuse(policy: GuardRules, use: "read" | "write", realPath: string): PathRefusal | undefined {
  const names = namesOf(realPath, policy.context);
  const rule =
    refusingRule(policy, use, names, isForAll) ??
    (use === "write" ? refusingRule(policy, "delete", names, ({ effect }) => effect !== "deny") : undefined);
  if (rule === undefined) return undefined;
  const { origin, rank } = rule;
  const text = `${origin.text} (${formatOrigin(origin)})`;
  return { reason: reasonOf(rule, use), rule: text, isFinal: rank === Infinity || undefined };
}

/** Returns the reason why a path is refused, as a text that follows the path. */
export function reasonOf({ effect, because }: PathRule, use: "read" | "write" | "delete"): string {
  const isClass = effect === "secret" || effect === "protected";
  const reason = `${isClass ? `is ${effect} and cannot` : "must not"} be ${participles[use]}`;
  return because === undefined ? reason : `${reason}: ${because}`;
}

const participles = { read: "read", write: "written", delete: "deleted" } as const;

/** Formats an origin as "rules:12"; only as its name for built-in rules, which have no file. */
export function formatOrigin({ level, name, line }: RuleOrigin): string {
  return level === "built-in" ? name : `${name}:${line}`;
}

/** Returns a guard that also limits access outside the workspace to the extra roots. Takes real paths. */
export function guardExtraRoots(guard: PathGuard, roots: ExtraRoots, workspace: string): PathGuard {
  const { read = [], write = [], ask = [] } = roots;
  const writable = [workspace, ...write, ...ask];
  const readable = [...writable, ...read];
  return (use, realPath) => {
    const refusal = guard(use, realPath);
    const inside = use === "write" ? writable : readable;
    if (refusal !== undefined || inside.some((directory) => isWithin(realPath, directory))) return refusal;
    const kind = use === "read" ? "readable" : "writable";
    return { reason: `is outside the workspace and the ${kind} extra roots`, rule: "extraRoots" };
  };
}

export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);
}
