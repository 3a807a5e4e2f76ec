import { boundedMemo } from "../../lib/bounded-cache.ts";
import type { Segment } from "../../lib/glob/glob-segment.ts";
import type { Policy } from "../rules/compile-policy.ts";
import type { PathRule } from "../rules/compile-rule.ts";
import { type Meeting, meet, meetNames } from "./meet.ts";
import { literalOf, type NameAhead, type OpenName, type OpenPath } from "./path-target.ts";
import { rulesNear } from "./refuse-path.ts";

/** The rule that is about what a path may become; of several, the person's highest, else the plainest. */
export function rulesAhead(
  { paths }: Policy,
  path: OpenPath,
  counts: (rule: PathRule) => boolean,
): Ahead | undefined {
  let loosely: Ahead | undefined;
  for (const ahead of allAhead(paths, path)) {
    if (!counts(ahead.rule)) continue;
    if (ahead.meeting === "aimed") return ahead;
    const isPlainer = loosely?.rule.place.level === "built-in" && Number.isFinite(ahead.rule.rank);
    if (loosely === undefined || isPlainer) loosely = ahead;
  }
  return loosely;
}

interface Ahead {
  readonly rule: PathRule;
  readonly meeting: Exclude<Meeting, "no">;
}

/** The same patterns come again and again. */
const allAhead = remembering(
  (paths: Paths, { names }: OpenPath): readonly Ahead[] =>
    candidates(paths, names).flatMap((rule): Ahead[] => {
      const meetings = rule.patterns.map((pattern) => meet(pattern, names));
      if (meetings.includes("aimed")) return [{ rule, meeting: "aimed" }];
      return meetings.includes("loosely") ? [{ rule, meeting: "loosely" }] : [];
    }),
  ({ names }) => names.map(keyOf).join("/"),
);

/**
 * Every name of a rule has to meet one of the path, so that the last one that it spells tells which rules to look at, the
 * highest first. Where any number of names may stand, all rules are.
 */
function candidates(paths: Paths, names: readonly OpenName[]): readonly PathRule[] {
  const known = names.filter((name) => name !== "**");
  if (known.length < names.length) return paths.highestFirst;
  const literal = known.flatMap((name) => literalOf(name) ?? []);
  const near = new Set(rulesNear({ paths }, { exact: literal, folded: literal, inside: 0 }));
  for (const name of known)
    if (literalOf(name) === undefined) for (const rule of rulesMeeting(paths, name)) near.add(rule);
  return [...near].sort((one, other) => other.rank - one.rank);
}

/** The rules of which some name meets this one. */
const rulesMeeting = remembering((paths: Paths, name: NameAhead): readonly PathRule[] => {
  const meets = (segment: Segment) => segment !== "**" && meetNames(segment, name, false) > 0;
  return paths.highestFirst.filter(({ patterns }) => patterns.some((pattern) => pattern.some(meets)));
}, keyOf);

function keyOf(name: OpenName): string {
  return name === "**" ? name : `${name.noLeadingDot ? "" : "."}${name.text}`;
}

type Paths = Policy["paths"];

function remembering<Given, Found>(
  find: (paths: Paths, given: Given) => Found,
  keyFor: (given: Given) => string,
): (paths: Paths, given: Given) => Found {
  const all = new WeakMap<Paths, (given: Given) => Found>();
  return (paths, given) => {
    let known = all.get(paths);
    if (known === undefined) {
      known = boundedMemo(maxRemembered, (one: Given) => find(paths, one), keyFor);
      all.set(paths, known);
    }
    return known(given);
  };
}

const maxRemembered = 1024;
