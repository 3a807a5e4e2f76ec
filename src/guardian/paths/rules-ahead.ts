import type { Segment } from "../../text/glob-segment.ts";
import type { PathRule, Policy } from "../rules/compile-policy.ts";
import { type Meeting, meet, meetNames } from "./meet.ts";
import { literalOf, type NameAhead, type OpenPath } from "./path-target.ts";
import { rulesNear } from "./refuse-path.ts";

/** The rule that is about what a path may become; of several, the person's highest, else the plainest. */
export function rulesAhead(
  policy: Policy,
  path: OpenPath,
  counts: (rule: PathRule) => boolean,
): { readonly rule: PathRule; readonly meeting: Exclude<Meeting, "no"> } | undefined {
  let loosely: PathRule | undefined;
  for (const rule of candidates(policy, path)) {
    if (!counts(rule)) continue;
    for (const pattern of rule.patterns) {
      const meeting = meet(pattern, path.names);
      if (meeting === "aimed") return { rule, meeting };
      const isPlainer = loosely?.place.level === "built-in" && Number.isFinite(rule.rank);
      if (meeting === "loosely" && (loosely === undefined || isPlainer)) loosely = rule;
    }
  }
  return loosely && { rule: loosely, meeting: "loosely" };
}

/**
 * Every name of a rule has to meet one of the path, so that the last one that it spells tells which rules to look at, the
 * highest first. Where any number of names may stand, all rules are.
 */
function candidates({ paths }: Policy, { names }: OpenPath): readonly PathRule[] {
  const known = names.filter((name) => name !== "**");
  if (known.length < names.length) return paths.highestFirst;
  const literal = known.flatMap((name) => literalOf(name) ?? []);
  const near = new Set(rulesNear({ paths }, { exact: literal, folded: literal, inside: 0 }));
  for (const name of known)
    if (literalOf(name) === undefined) for (const rule of meeting(paths, name)) near.add(rule);
  return [...near].sort((one, other) => other.rank - one.rank);
}

type Paths = Policy["paths"];

const remembered = new WeakMap<Paths, Map<string, readonly PathRule[]>>();
const maxRemembered = 1024;

/** The rules of which some name meets this one. The same globs come again and again. */
function meeting(paths: Paths, name: NameAhead): readonly PathRule[] {
  const known = remembered.get(paths) ?? new Map<string, readonly PathRule[]>();
  remembered.set(paths, known);
  const key = `${name.noLeadingDot} ${name.text}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const meets = (segment: Segment) => segment !== "**" && meetNames(segment, name, false) > 0;
  const found = paths.highestFirst.filter(({ patterns }) => patterns.some((pattern) => pattern.some(meets)));
  if (known.size >= maxRemembered) known.clear();
  known.set(key, found);
  return found;
}
