import type { LookedAt, PathContext } from "../policy.ts";
import type { PathRule, PathUse } from "../rules/rule.ts";
import type { IndexedPaths } from "./index-paths.ts";
import { firstName, type Names, originalsOf } from "./path-names.ts";
import { leadsThrough, matchNames } from "./path-pattern.ts";

type Counts = (rule: PathRule) => boolean;

/** Returns the rules that may match a path, in no order. The last ones are cached: a scan asks several times about a path. */
export function rulesNear({ paths }: Pick<IndexedPaths, "paths">, names: Names): readonly PathRule[] {
  if (last.names === names && last.named === paths.named) return last.near;
  const near: PathRule[] = [];
  for (const [index, folded] of names.folded.entries()) {
    near.push(...paths.named(folded));
    const exact = names.exact[index]!;
    // Rules that loosen are compared exactly.
    if (exact !== folded) near.push(...paths.named(exact));
  }
  last = { names, named: paths.named, near };
  return near;
}

let last: {
  readonly names?: Names;
  readonly named?: IndexedPaths["paths"]["named"];
  readonly near: readonly PathRule[];
} = { near: [] };

/** Path rules, and what tells whether entries with certain names are secret. */
export interface RefusingRules extends IndexedPaths {
  readonly context: Pick<PathContext, "lookAt" | "inGit">;
}

/**
 * Returns the rule that makes the path secret or protected, or denies it, in every mode. A file that only a built-in rule
 * makes secret, by its name, is not secret while git has its content: everyone with the repository can read it there.
 */
export function refusingRule(
  policy: RefusingRules,
  use: PathUse,
  names: Names,
  counts: Counts,
): PathRule | undefined {
  const rule = refusingByName(policy, use, names, counts);
  if (rule === undefined || !isBuiltInSecret(rule) || !isInGit(policy, names)) return rule;
  return refusingByName(policy, use, names, (one) => counts(one) && !isBuiltInSecret(one));
}

/** Whether a rule is one about names that may have harmless contents. */
export function isBuiltInSecret({ effect, origin, rank }: PathRule): boolean {
  return effect === "secret" && origin.level === "built-in" && Number.isFinite(rank);
}

function isInGit({ context: { inGit } }: RefusingRules, { exact }: Names): boolean {
  const path = `/${exact.join("/")}`;
  return inGit?.([path]).has(path) === true;
}

/** Does the same, whatever git has. */
export function refusingByName(
  policy: RefusingRules,
  use: PathUse,
  names: Names,
  counts: Counts,
): PathRule | undefined {
  return (
    refusingItself(policy, use, names, exceptHarmless(policy, use, names, counts)) ??
    refusingOriginal(policy, names, counts)
  );
}

/**
 * Leaves out built-in rules that do not hold for what is really there: the one about keys for a file that has only public
 * ones, and the one about directories of secrets for a directory, whose entries are each checked. Other rules hold there.
 */
function exceptHarmless(
  { context: { lookAt } }: RefusingRules,
  use: PathUse,
  names: Names,
  counts: Counts,
): Counts {
  if (lookAt === undefined) return counts;
  return (rule) => {
    if (!counts(rule)) return false;
    const harmless = rule.origin.level === "built-in" ? harmlessBy[rule.glob] : undefined;
    if (harmless === undefined || (harmless === "directory" && use === "delete")) return true;
    return lookAt(`/${names.exact.join("/")}`) !== harmless;
  };
}

const harmlessBy: Readonly<Record<string, LookedAt>> = {
  "*.pem": "public keys",
  "**/secrets/**": "directory",
};

/** Returns the rule that makes the original of a backup secret, unless a rule opens the backup. */
function refusingOriginal(policy: IndexedPaths, names: Names, counts: Counts): PathRule | undefined {
  const isSecretOrOpen = (rule: PathRule) => /^(?:secret|open)$/.test(rule.effect) && counts(rule);
  for (const original of originalsOf(names)) {
    const rule = refusingItself(policy, "read", original, isSecretOrOpen);
    if (rule !== undefined && rule.rank > openedRank(rulesNear(policy, names).filter(counts), names))
      return rule;
  }
  return undefined;
}

/** Does the same as `refusingByName`, but not for a directory of which only some content is refused. */
export function refusingWhole(
  policy: RefusingRules,
  use: PathUse,
  names: Names,
  counts: Counts,
): PathRule | undefined {
  const near = rulesNear(policy, names).filter(exceptHarmless(policy, use, names, counts));
  const refusing = near.filter((rule) => refuses(rule, use) && isAbout(rule, "write", names));
  return notOpened(refusing, near, names) ?? refusingOriginal(policy, names, counts);
}

function refusingItself(
  policy: IndexedPaths,
  use: PathUse,
  names: Names,
  counts: Counts,
): PathRule | undefined {
  const near = rulesNear(policy, names).filter(counts);
  const refusing = near.filter((rule) => refuses(rule, use) && isAbout(rule, use, names));
  if (refusing.length === 0 && use !== "read") refusing.push(...rulesBelow(policy, use, names, counts));
  return notOpened(refusing, near, names);
}

function notOpened(
  refusing: readonly PathRule[],
  near: readonly PathRule[],
  names: Names,
): PathRule | undefined {
  if (refusing.length === 0) return undefined;
  const opened = openedRank(near, names);
  return refusing
    .filter(({ effect, rank }) => effect === "deny" || rank > opened)
    .reduce<PathRule | undefined>((top, rule) => (top && top.rank > rule.rank ? top : rule), undefined);
}

function openedRank(near: readonly PathRule[], names: Names): number {
  return near
    .filter((rule) => rule.effect === "open" && isExactly(rule, names))
    .reduce((most, { rank }) => Math.max(most, rank), -1);
}

function rulesBelow(policy: IndexedPaths, use: PathUse, names: Names, counts: Counts): PathRule[] {
  const refusing = (rule: PathRule) =>
    refuses(rule, use) && counts(rule) && (use !== "write" || rule.effect !== "secret");
  if (names.folded.length === 0) return inRoot(policy, refusing);
  return rulesThrough(policy, use, names, refusing).slice(0, 1);
}

/** Returns the plainest protecting rule for the root directory, which contains everything. */
function inRoot({ paths }: IndexedPaths, refusing: Counts): PathRule[] {
  const isRooted = ({ patterns }: PathRule) => patterns.some(([first]) => first !== "**");
  const found = paths.highestFirst.findLast(
    (rule) => rule.effect === "protected" && refusing(rule) && isRooted(rule) && Number.isFinite(rule.rank),
  );
  return found ? [found] : [];
}

/** Returns the rules about an entry in this directory. For writes, only patterns that match at any depth count. */
export function rulesThrough(
  { pathsThrough }: IndexedPaths,
  use: PathUse,
  names: Names,
  counts: Counts,
): readonly PathRule[] {
  const through = pathsThrough.get(names.folded.at(-1) ?? "") ?? [];
  return through.filter(
    (rule) =>
      counts(rule) &&
      rule.patterns.some(
        (pattern) =>
          (use !== "write" || pattern[0] === "**") &&
          leadsThrough(pattern, names.folded, firstName(pattern, names)),
      ),
  );
}

export function refuses({ effect, uses }: PathRule, use: PathUse): boolean {
  if (effect === "deny") return uses.has(use);
  return effect === "secret" || (effect === "protected" && use !== "read");
}

/** Returns whether a rule that tightens matches a path. A directory includes its content. */
export function isAbout({ patterns, spares }: PathRule, use: PathUse, names: Names): boolean {
  if (spares.length > 0 && spares.every((name, index) => names.folded[index] === name)) return false;
  // Reading a directory only lists names; replacing it changes its content.
  const scope = use === "read" ? "within" : "around";
  return patterns.some((pattern) => matchNames(pattern, names.folded, scope, firstName(pattern, names)));
}

export function isExactly({ patterns }: PathRule, { exact }: Names): boolean {
  return patterns.some((pattern) => matchNames(pattern, exact, "whole"));
}
