import { boundedMemo } from "../../lib/bounded-cache.ts";
import type { NamePattern, Segment } from "../../lib/glob/glob-segment.ts";
import { oncePerObject } from "../../lib/once-per-object.ts";
import type { Policy } from "../rules/compile-policy.ts";
import type { PathRule } from "../rules/rule.ts";
import { type Meeting, meet, meetNames } from "./meet.ts";
import { literalText, namesOf } from "./path-names.ts";
import { literalOf, type NameAhead, type OpenName, type OpenPath } from "./path-target.ts";
import { isExactly, rulesNear } from "./refuse-path.ts";

/**
 * Returns the rule about a path that only the shell will know. If there are several, the user's highest, else the
 * plainest.
 */
export function rulesAhead(
  { paths }: Policy,
  { names }: OpenPath,
  counts: (rule: PathRule) => boolean,
): Ahead | undefined {
  let loosely: Ahead | undefined;
  for (const ahead of allAhead(paths)(names)) {
    if (!counts(ahead.rule)) continue;
    if (ahead.meeting === "aimed") return ahead;
    const isPlainer = loosely?.rule.origin.level === "built-in" && Number.isFinite(ahead.rule.rank);
    if (loosely === undefined || isPlainer) loosely = ahead;
  }
  return loosely;
}

interface Ahead {
  readonly rule: PathRule;
  readonly meeting: Exclude<Meeting, "no">;
}

/** Returns the rules that may match a path, with the strength of the match. Cached, because the same patterns recur. */
const allAhead = oncePerObject((paths: Paths) =>
  boundedMemo(
    maxRemembered,
    (names: readonly OpenName[]) =>
      candidates(paths, names).flatMap((rule): Ahead[] => {
        const meetings = rule.patterns.map((pattern) => meet(pattern, names));
        if (meetings.includes("aimed")) return [{ rule, meeting: "aimed" }];
        return meetings.includes("loosely") ? [{ rule, meeting: "loosely" }] : [];
      }),
    (names) => names.map(keyOf).join("/"),
  ),
);

/**
 * Returns the rules that may match, highest first. Every name of a rule must match one of the path, so the path's names
 * select them. If any number of names may follow, all rules are candidates.
 */
function candidates(paths: Paths, names: readonly OpenName[]): readonly PathRule[] {
  const known = names.filter((name) => name !== "**");
  if (known.length < names.length) return paths.highestFirst;
  const literal = known.flatMap((name) => literalOf(name) ?? []);
  const near = new Set(rulesNear({ paths }, { exact: literal, folded: literal, inside: 0 }));
  for (const name of known)
    if (literalOf(name) === undefined) for (const rule of rulesMeeting(paths)(name)) near.add(rule);
  return [...near].sort((one, other) => other.rank - one.rank);
}

/** Returns the rules that have a name which can equal this one. */
const rulesMeeting = oncePerObject((paths: Paths) =>
  boundedMemo(
    maxRemembered,
    (name: NameAhead) => {
      const meets = (segment: Segment) => segment !== "**" && meetNames(segment, name, false) > 0;
      return paths.highestFirst.filter(({ patterns }) => patterns.some((pattern) => pattern.some(meets)));
    },
    keyOf,
  ),
);

function keyOf(name: OpenName): string {
  return name === "**" ? name : `${name.noLeadingDot ? "" : "."}${name.text}`;
}

type Paths = Policy["paths"];

const maxRemembered = 1024;

/** Returns the rule that protects a path that a glob may match, or something in it: `/*` matches everything. */
export function protectedAhead(
  policy: Policy,
  { names }: OpenPath,
  counts: (rule: PathRule) => boolean,
): PathRule | undefined {
  if (names.includes("**")) return undefined;
  const beginning = literalBeginning(names);
  const inside = namesOf(`/${beginning.join("/")}/\0`, policy.context);
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

/** Recognizes the rules for Toolcrib's own directories, which no rule overrides. */
function isOurs({ rank }: PathRule): boolean {
  return !Number.isFinite(rank);
}

function literalBeginning(names: readonly OpenName[]): readonly string[] {
  const texts = names.map(literalOf);
  const end = texts.indexOf(undefined);
  return texts.slice(0, end < 0 ? texts.length : end) as string[];
}

function isSpared({ spares }: PathRule, beginning: readonly string[]): boolean {
  return spares.length > 0 && spares.every((name, index) => beginning[index] === name);
}

/** Returns whether the glob may match what the pattern protects, or a directory on the way that the pattern names. */
function leadsTo(pattern: readonly Segment[], names: readonly OpenName[], rule: PathRule): boolean {
  const whole = pattern.at(-1) === "**" ? pattern.slice(0, -1) : pattern;
  // A name at any depth may be anywhere, so only a glob that spells out a part of it counts.
  if (pattern[0] === "**") return meet(whole, names) === "aimed" || isWayTo(whole, names, "aimed");
  // In a home a plain star is intended to match everything, and with `dotglob` it does.
  const targets = isOurs(rule) ? names : names.map(withDots);
  return meet(whole, targets) !== "no" || isWayTo(whole, targets, "loosely");
}

function isWayTo(
  whole: readonly Segment[],
  names: readonly OpenName[],
  least: Exclude<Meeting, "no">,
): boolean {
  return whole.some((segment, at) => {
    if (literalText(segment) === undefined) return false;
    // The added names make the comparison include the ends.
    const meeting = meet([...whole.slice(0, at + 1), end], [...names, endAhead]);
    return meeting === "aimed" || meeting === least;
  });
}

const end: NamePattern = { tokens: [{ code: 0 }], shape: { kind: "literal", text: "\0" } };
const endAhead: NameAhead = { pattern: end, text: "\0", noLeadingDot: false };

function withDots(name: OpenName): OpenName {
  return name !== "**" && name.pattern.shape.kind === "anything" ? { ...name, noLeadingDot: false } : name;
}
