import type { PathRule, Policy } from "../rules/compile-policy.ts";
import type { PathUse } from "../rules/rule.ts";
import { fold } from "./fold.ts";
import { meet } from "./meet.ts";
import { leadsThrough, matchNames, namesIn } from "./path-pattern.ts";
import type { OpenPath } from "./path-target.ts";

/** The names of a path, as written and folded. */
export interface Names {
  readonly exact: readonly string[];
  readonly folded: readonly string[];
}

export function namesOf(path: string): Names {
  const exact = namesIn(path);
  return { exact, folded: exact.map(fold) };
}

/** Rules that may be about a path, in no order. */
export function rulesNear({ paths }: Policy, { folded }: Names): readonly PathRule[] {
  let found: readonly PathRule[] = paths.others;
  for (const name of folded) {
    const named = paths.named.get(name);
    if (named !== undefined) found = [...found, ...named];
  }
  return found;
}

/** The rule that makes the path secret or protected, or denies it, in every mode. */
export function refusingRule(
  policy: Policy,
  use: PathUse,
  names: Names,
  counts: (rule: PathRule) => boolean,
): PathRule | undefined {
  const near = rulesNear(policy, names);
  const refusing = near.filter((rule) => refuses(rule, use) && counts(rule) && isAbout(rule, names));
  if (use === "delete") {
    const through = policy.pathsThrough.get(names.folded.at(-1) ?? "") ?? [];
    for (const rule of through)
      if (
        refuses(rule, use) &&
        counts(rule) &&
        rule.patterns.some((pattern) => leadsThrough(pattern, names.folded))
      )
        refusing.push(rule);
  }
  if (refusing.length === 0) return undefined;
  const opened = near
    .filter(
      ({ effect, patterns }) =>
        effect === "open" && patterns.some((pattern) => matchNames(pattern, names.exact, "whole")),
    )
    .reduce((most, { rank }) => Math.max(most, rank), -1);
  const held = refusing.filter(({ effect, rank }) => effect === "deny" || rank > opened);
  return held.reduce<PathRule | undefined>(
    (top, rule) => (top === undefined || rule.rank > top.rank ? rule : top),
    undefined,
  );
}

/** The rule that would refuse what the path may become. */
export function mayBeRefused(
  policy: Policy,
  use: PathUse,
  path: OpenPath,
  counts: (rule: PathRule) => boolean,
): { readonly rule: PathRule; readonly aimed: boolean } | undefined {
  let loosely: PathRule | undefined;
  for (const rule of policy.paths.all) {
    if (!refuses(rule, use) || !counts(rule)) continue;
    for (const pattern of rule.patterns) {
      const meeting = meet(pattern, path.names);
      if (meeting === "aimed") return { rule, aimed: true };
      if (meeting === "loosely") loosely ??= rule;
    }
  }
  return loosely && { rule: loosely, aimed: false };
}

function refuses({ effect, uses }: PathRule, use: PathUse): boolean {
  if (effect === "deny") return uses.has(use);
  return effect === "secret" || (effect === "protected" && use !== "read");
}

/** A directory is meant with all in it. */
export function isAbout(rule: PathRule, { folded }: Names): boolean {
  return rule.patterns.some((pattern) => matchNames(pattern, folded, "within"));
}
