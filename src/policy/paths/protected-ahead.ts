import type { NamePattern, Segment } from "../../lib/glob/glob-segment.ts";
import type { Policy } from "../rules/compile-policy.ts";
import type { PathRule } from "../rules/compile-rule.ts";
import { type Meeting, meet } from "./meet.ts";
import { namesOf } from "./names.ts";
import { literalOf, type NameAhead, type OpenName, type OpenPath } from "./path-target.ts";
import { isExactly } from "./refuse-path.ts";

/**
 * The rule that protects what a glob stands for, or something in it: `/*` is all there is. A glob of which nobody knows
 * where it begins is none that can be told.
 */
export function protectedAhead(
  policy: Policy,
  { names }: OpenPath,
  counts: (rule: PathRule) => boolean,
): PathRule | undefined {
  if (names.includes("**")) return undefined;
  const beginning = literalBeginning(names);
  const inside = namesOf(`/${beginning.join("/")}/\0`, policy.place);
  const opened = policy.paths.highestFirst.find((rule) => rule.effect === "open" && isExactly(rule, inside));
  const found = policy.paths.highestFirst.filter(
    (rule) =>
      (rule.effect === "protected" || isOurs(rule)) &&
      counts(rule) &&
      rule.rank > (opened?.rank ?? -1) &&
      !isSpared(rule, beginning) &&
      rule.patterns.some((pattern) => leadsTo(pattern, names, rule)),
  );
  return found.findLast((rule) => !isOurs(rule)) ?? found[0];
}

/** Toolcrib's own directories, above which no rule stands. */
function isOurs({ rank }: PathRule): boolean {
  return !Number.isFinite(rank);
}

function literalBeginning(names: readonly OpenName[]): readonly string[] {
  const texts = names.map((name) => (name === "**" ? undefined : literalOf(name)));
  const end = texts.indexOf(undefined);
  return texts.slice(0, end < 0 ? texts.length : end) as string[];
}

function isSpared({ spares }: PathRule, beginning: readonly string[]): boolean {
  return spares.length > 0 && spares.every((name, place) => beginning[place] === name);
}

/** Whether the glob may be what the pattern protects, or a directory that it leads through by name. */
function leadsTo(pattern: readonly Segment[], names: readonly OpenName[], rule: PathRule): boolean {
  const whole = pattern.at(-1) === "**" ? pattern.slice(0, -1) : pattern;
  // A name at any depth may be anywhere: only a glob that spells some of it is about it.
  if (pattern[0] === "**") return meet(whole, names) === "aimed" || isWayTo(whole, names, "aimed");
  // In a home a plain star is meant to be everything, and with `dotglob` it is.
  const meant = isOurs(rule) ? names : names.map(withDots);
  return meet(whole, meant) !== "no" || isWayTo(whole, meant, "loosely");
}

function isWayTo(
  whole: readonly Segment[],
  names: readonly OpenName[],
  least: Exclude<Meeting, "no">,
): boolean {
  return whole.some((segment, at) => {
    if (segment === "**" || segment.shape.kind !== "literal") return false;
    // The end has to be the same, too.
    const meeting = meet([...whole.slice(0, at + 1), end], [...names, endAhead]);
    return meeting === "aimed" || meeting === least;
  });
}

const end: NamePattern = { tokens: [{ code: 0 }], shape: { kind: "literal", text: "\0" } };
const endAhead: NameAhead = { pattern: end, text: "\0", noLeadingDot: false };

function withDots(name: OpenName): OpenName {
  return name !== "**" && name.pattern.shape.kind === "anything" ? { ...name, noLeadingDot: false } : name;
}
