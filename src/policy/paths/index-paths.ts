import { matchSegment, type NamePattern, type Segment } from "../../lib/glob/glob-segment.ts";
import type { PathRule } from "../rules/rule.ts";
import { fold, literalText } from "./path-names.ts";

/** Path rules in a form that finds those about a path quickly. */
export interface IndexedPaths {
  readonly paths: {
    readonly highestFirst: readonly PathRule[];
    /** Returns the rules of which one name of a path matches the last name of a pattern. */
    readonly named: (name: string) => readonly PathRule[];
  };
  /** Path rules by the directories that they lead through. */
  readonly pathsThrough: ReadonlyMap<string, readonly PathRule[]>;
}

/** Indexes rules, which are given in the order of their rank. */
export function indexPaths(rules: readonly PathRule[]): IndexedPaths {
  return {
    paths: { highestFirst: rules.toReversed(), named: byLastName(rules) },
    pathsThrough: byDirectory(rules),
  };
}

/**
 * A rule about a path has a pattern of which each segment, stars aside, matches one of the path's names. Rules are found by
 * the last one: a literal by the name, others by its first or last character. Where it is wild at both ends, any literal is
 * better: `/dev/fd/*` is found by `fd`.
 */
function byLastName(rules: readonly PathRule[]): (name: string) => readonly PathRule[] {
  const literals = new Map<string, PathRule[]>();
  const byEnd = new Map<string, Wild[]>();
  const always: PathRule[] = [];
  for (const rule of rules)
    for (const pattern of rule.patterns) {
      const segment = clearestIn(pattern);
      const text = segment && literalText(segment);
      if (segment === undefined) always.push(rule);
      else if (text === undefined) put(byEnd, endOf(segment), { segment, rule });
      else {
        put(literals, text, rule);
        // Rules that tighten are compared folded.
        put(literals, fold(text), rule);
      }
    }
  const anyEnd = byEnd.get("") ?? [];
  const find = (name: string): readonly PathRule[] => {
    const found = [...(literals.get(name) ?? []), ...always];
    const wild = [byEnd.get(`^${name[0]}`), byEnd.get(`${name.at(-1)}$`), anyEnd];
    for (const candidates of wild)
      for (const { segment, rule } of candidates ?? []) if (matchSegment(segment, name)) found.push(rule);
    return found;
  };
  // A scan asks several times about each name, and about each directory again for every entry in it.
  const known = new Map<string, readonly PathRule[]>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    if (known.size >= mostKnown) known.clear();
    const found = find(name);
    known.set(name, found);
    return found;
  };
}

const mostKnown = 1_000;

function clearestIn(pattern: readonly Segment[]): NamePattern | undefined {
  const names = pattern.filter((segment) => segment !== "**");
  const last = names.at(-1);
  const isClear = last === undefined || literalText(last) !== undefined || endOf(last) !== "";
  return isClear ? last : (names.findLast((segment) => literalText(segment) !== undefined) ?? last);
}

interface Wild {
  readonly segment: NamePattern;
  readonly rule: PathRule;
}

/** Returns the code unit with which a matching name begins or ends; "" if the segment has wildcards at both ends. */
function endOf({ tokens }: NamePattern): string {
  const [first, last] = [tokens[0], tokens.at(-1)];
  if (typeof first === "object" && "code" in first) return `^${String.fromCodePoint(first.code)[0]}`;
  if (typeof last === "object" && "code" in last) return `${String.fromCodePoint(last.code).at(-1)}$`;
  return "";
}

function byDirectory(rules: readonly PathRule[]): Map<string, PathRule[]> {
  const through = new Map<string, PathRule[]>();
  for (const rule of rules)
    for (const pattern of rule.patterns)
      for (const name of literalsIn(pattern).slice(0, -1)) if (name !== undefined) put(through, name, rule);
  return through;
}

/** Returns the folded name that each segment spells out. */
function literalsIn(pattern: readonly Segment[]): readonly (string | undefined)[] {
  return pattern.map((segment) => {
    const text = literalText(segment);
    return text === undefined ? undefined : fold(text);
  });
}

export function put<Kind>(map: Map<string, Kind[]>, name: string, rule: Kind): void {
  const list = map.get(name);
  if (list === undefined) map.set(name, [rule]);
  else if (!list.includes(rule)) list.push(rule);
}
