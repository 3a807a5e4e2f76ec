import type { Segment } from "../../lib/glob/glob-segment.ts";
import type { PathRule } from "../rules/rule.ts";
import { fileRules, NameIndex } from "./name-index.ts";
import { fold, literalText } from "./path-names.ts";

/** Path rules in a form that finds those about a path quickly. */
export interface IndexedPaths {
  readonly paths: {
    readonly highestFirst: readonly PathRule[];
    /** Made on first use. */
    readonly byName: Pick<NameIndex, "find">;
  };
  /** Path rules by the directories that they lead through. */
  readonly pathsThrough: ReadonlyMap<string, readonly PathRule[]>;
}

/** Indexes rules, which are given in the order of their rank. */
export function indexPaths(rules: readonly PathRule[]): IndexedPaths {
  return { paths: indexed(rules), pathsThrough: byDirectory(rules) };
}

function indexed(rules: readonly PathRule[]): IndexedPaths["paths"] {
  let index: NameIndex | undefined;
  return {
    highestFirst: rules.toReversed(),
    get byName() {
      index ??= indexNames(rules);
      return index;
    },
  };
}

export function indexNames(rules: readonly PathRule[]): NameIndex {
  return new NameIndex(fileRules(rules), (number) => rules[number]!);
}

export function byDirectory(rules: readonly PathRule[]): Map<string, PathRule[]> {
  const through = new Map<string, PathRule[]>();
  for (const rule of rules)
    for (const pattern of rule.patterns)
      for (const name of literalsIn(pattern).slice(0, -1)) if (name !== undefined) put(through, name, rule);
  return through;
}

const literals = new WeakMap<readonly Segment[], readonly (string | undefined)[]>();

/** Returns the folded name that each segment spells out. */
function literalsIn(pattern: readonly Segment[]): readonly (string | undefined)[] {
  const known = literals.get(pattern);
  if (known !== undefined) return known;
  const names = pattern.map((segment) => {
    const text = literalText(segment);
    return text === undefined ? undefined : fold(text);
  });
  literals.set(pattern, names);
  return names;
}

export function put<Kind>(map: Map<string, Kind[]>, name: string, rule: Kind): void {
  const list = map.get(name);
  if (list === undefined) map.set(name, [rule]);
  else if (!list.includes(rule)) list.push(rule);
}
