import type { Confinement } from "../contract/confinement.ts";
import { ToolError } from "../contract/error.ts";
import type { Segment } from "../lib/glob/glob-segment.ts";
import { isForAll, isWithin } from "./guard-paths.ts";
import { type IndexedPaths, indexPaths } from "./paths/index-paths.ts";
import { literalText, type Names, namesOf } from "./paths/path-names.ts";
import { compilePath } from "./paths/path-pattern.ts";
import {
  isAbout,
  isBuiltInSecret,
  isExactly,
  refusingByName,
  refusingWhole,
  rulesNear,
} from "./paths/refuse-path.ts";
import type { PathContext } from "./policy.ts";
import { type Effect, gitRulesName, loosens, type PathRule, type PathUse, strongest } from "./rules/rule.ts";

/** Path rules, and those of them that count for one tool and mode. */
export interface CountingRules extends IndexedPaths {
  readonly context: Pick<PathContext, "workspace" | "home" | "lookAt" | "inGit">;
  readonly counts: (rule: PathRule) => boolean;
  readonly isParanoid: boolean;
}

export type PathPredicate = (path: string) => boolean;

/**
 * Returns whether a path is hidden from commands by its name: secrets, and paths that rules deny to read. A directory of secrets is
 * hidden as a whole, unless the user has opened a path that may be in one.
 */
export function hiddenPaths(rules: CountingRules): PathPredicate {
  const { counts, context } = rules;
  const isOpened = rules.paths.highestFirst.some(
    (rule) => rule.effect === "open" && rule.origin.level !== "built-in" && counts(rule),
  );
  const refusing = isOpened ? refusingByName : refusingWhole;
  return (path) => refusing(rules, "read", namesOf(path, context), counts) !== undefined;
}

/** Returns the same for the paths that `guardPaths` may refuse to read, whatever the tool. */
export function hiddenFromAll({
  paths,
  pathsThrough,
  context,
}: IndexedPaths & Pick<CountingRules, "context">): PathPredicate {
  return hiddenPaths({ paths, pathsThrough, context, counts: isForAll, isParanoid: false });
}

/** Returns which hidden files are shown, because git has their content and only a built-in rule hides their names. */
export function shownFromGit(rules: CountingRules): Confinement["shownFromGit"] {
  const { inGit } = rules.context;
  if (inGit === undefined) return undefined;
  const others = { ...rules, counts: (rule: PathRule) => rules.counts(rule) && !isBuiltInSecret(rule) };
  const isHidden = hiddenPaths(others);
  const isReadOnly = readOnlyPaths(others);
  return (paths) => {
    const shown = [...inGit(paths.filter((path) => !isHidden(path)))];
    return new Map(shown.map((path) => [path, isReadOnly(path) ? "read-only" : "writable"]));
  };
}

/** Returns the paths outside the workspace that rules hide and spell out: `/srv/keys` for `deny read /srv/keys/**`. */
export function hiddenOutside(rules: CountingRules, isHidden: PathPredicate): readonly string[] {
  const named = rules.paths.highestFirst
    .filter((rule) => rule.effect === "secret" || (rule.effect === "deny" && rule.uses.has("read")))
    .filter(rules.counts)
    // The patterns of these rules are folded to one case.
    .flatMap(({ glob }) => compilePath(glob, { ...rules.context, own: [] }, "exact"))
    .flatMap((pattern) => outsidePath(pattern, rules.context.workspace));
  // Sandboxes have devices and processes of their own.
  const isOfMachine = (path: string) => !/^\/(?:dev|proc)\//.test(path);
  return [...new Set(named)]
    .filter(isOfMachine)
    .filter((path) => isHidden(path) || isHidden(`${path}/entry`));
}

/**
 * Returns the path of `/srv/data/**` or `/srv/data/file`; none for other wildcards, where a call must name the path.
 */
export function outsidePath(pattern: readonly Segment[], workspace: string): readonly string[] {
  const names = literalNames(pattern.at(-1) === "**" ? pattern.slice(0, -1) : pattern);
  if (names === undefined || names.length === 0) return [];
  const path = `/${names.join("/")}`;
  return isWithin(path, workspace) ? [] : [path];
}

export function literalNames(pattern: readonly Segment[]): string[] | undefined {
  const names = pattern.map(literalText);
  // A pattern with ".." matches no real path.
  return names.every((name) => name !== undefined && name !== "..") ? (names as string[]) : undefined;
}

/** Returns whether commands may read but not write a path. */
export function readOnlyPaths(rules: CountingRules): PathPredicate {
  return (path) => {
    const names = namesOf(path, rules.context);
    if (isRefused(rules, names)) return true;
    // Git itself writes in its folder. The files that git would run are protected.
    if (names.folded.slice(names.inside).includes(".git")) return false;
    return isAskedAbout(rules, names);
  };
}

/** The same without files that are read-only only because git settings name them. */
export function readOnlyByRules(given: CountingRules): PathPredicate {
  const counts = (rule: PathRule) => given.counts(rule) && rule.origin.name !== gitRulesName;
  const rules = { ...given, counts };
  return (path) => {
    const names = namesOf(path, rules.context);
    return isRefused(rules, names) || isAskedAbout(rules, names);
  };
}

/** Exempts paths that the call may write, unless rules refuse them. */
export function liftReadOnly(
  isReadOnly: PathPredicate,
  lifted: readonly string[],
  rules: CountingRules,
): PathPredicate {
  if (lifted.length === 0) return isReadOnly;
  const isLifted = (path: string) => lifted.some((one) => isWithin(path, one));
  return (path) => (isLifted(path) ? isRefused(rules, namesOf(path, rules.context)) : isReadOnly(path));
}

function isRefused(rules: CountingRules, names: Names): boolean {
  return refusingWhole(rules, "write", names, rules.counts) !== undefined;
}

/** Returns whether the user would be asked before a tool writes it. */
function isAskedAbout(rules: CountingRules, names: Names): boolean {
  const { counts, isParanoid } = rules;
  const found = rulesNear(rules, names).filter((rule) => {
    if (!rule.uses.has("write") || !counts(rule)) return false;
    if (rule.effect === "ask") return isAbout(rule, "write", names);
    return rule.effect === "allow" && !isParanoid && isExactly(rule, names);
  });
  return strongest(found).wins?.effect === "ask";
}

/** The rules as data, for a sandbox on another machine. */
interface SentRules {
  readonly workspace: string;
  readonly home: string;
  readonly isParanoid: boolean;
  readonly lifted: readonly string[];
  /** In the order of their rank. */
  readonly rules: readonly {
    readonly effect: Effect;
    readonly uses: readonly PathUse[];
    readonly glob: string;
    readonly spares: readonly string[];
    /** Null for rules that no other can override. */
    readonly rank: number | null;
    readonly level: PathRule["origin"]["level"];
    readonly isOfGit: boolean;
  }[];
}

export function sendPathRules(rules: CountingRules, lifted: readonly string[]): unknown {
  const { context, counts, isParanoid } = rules;
  const sent: SentRules = {
    workspace: context.workspace,
    home: context.home,
    isParanoid,
    lifted,
    rules: rules.paths.highestFirst
      .toReversed()
      .filter(counts)
      .map(({ effect, uses, glob, spares, rank, origin: { level, name } }) => ({
        ...{ effect, uses: [...uses], glob, spares, level },
        rank: Number.isFinite(rank) ? rank : null,
        isOfGit: name === gitRulesName,
      })),
  };
  return sent;
}

/** Makes functions of the data of `sendPathRules`, which decide as those of the sender. Throws for any other data. */
export function confinedPaths(
  data: unknown,
  { lookAt, inGit }: Pick<PathContext, "lookAt" | "inGit"> = {},
): Required<Pick<Confinement, "isHidden" | "hiddenOutside" | "isReadOnly" | "isReadOnlyByRules">> &
  Pick<Confinement, "shownFromGit"> {
  const { workspace, home, isParanoid, lifted, rules: sent } = checked(data);
  const context: PathContext = {
    workspace,
    home,
    own: [],
    ...(lookAt && { lookAt }),
    ...(inGit && { inGit }),
  };
  const rules = {
    ...indexPaths(sent.map((rule) => ruleOf(rule, context))),
    ...{ context, isParanoid, counts: () => true },
  };
  const isHidden = hiddenPaths(rules);
  return {
    isHidden,
    hiddenOutside: hiddenOutside(rules, isHidden),
    isReadOnly: liftReadOnly(readOnlyPaths(rules), lifted, rules),
    isReadOnlyByRules: readOnlyByRules(rules),
    ...(inGit && { shownFromGit: shownFromGit(rules)! }),
  };
}

function ruleOf(
  { effect, uses, glob, spares, rank, level, isOfGit }: SentRules["rules"][number],
  context: PathContext,
): PathRule {
  return {
    ...{ kind: "path", effect, glob, spares, spelledOut: 0, by: undefined, because: undefined },
    rank: rank ?? Number.POSITIVE_INFINITY,
    uses: new Set(uses),
    origin: { level, name: isOfGit ? gitRulesName : "", line: 0, text: "" },
    patterns: compilePath(glob, context, loosens(effect) ? "exact" : "folded"),
  };
}

function checked(data: unknown): SentRules {
  const { workspace, home, lifted, rules } = (data ?? {}) as Partial<SentRules>;
  const isValid =
    typeof workspace === "string" &&
    typeof home === "string" &&
    Array.isArray(lifted) &&
    Array.isArray(rules);
  if (isValid) return data as SentRules;
  throw new ToolError("invalid-input", "The rules about paths have an unknown form");
}
