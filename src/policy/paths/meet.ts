import {
  matchesOne,
  matchSegment,
  type NamePattern,
  type Segment,
  type Token,
} from "../../lib/glob/glob-segment.ts";
import { literalText } from "./path-names.ts";
import { literalOf, type NameAhead, type OpenName } from "./path-target.ts";

/**
 * Whether a path that only the shell will know may match a rule. "aimed" means that both spell out the same text, and
 * "loosely" that the path leaves that text open. `*.ts` and `id_rsa*` do not meet, although a file could match both,
 * because the shell's pattern spells out an end that the rule leaves open.
 */
export type Meeting = "no" | "loosely" | "aimed";

/** Compares a rule and a path. The rule may match a directory above the path, because that refuses its content too. */
export function meet(rule: readonly Segment[], path: readonly OpenName[]): Meeting {
  let shared = 0;
  for (; ; shared += 1) {
    const [segment, name] = [rule[shared], path[shared]];
    const spelled = segment && literalText(segment);
    const text = name && literalOf(name);
    if (spelled === undefined || text === undefined) break;
    if (spelled !== text) return "no";
  }
  const stars = path.indexOf("**");
  const known = stars >= 0 || rule.indexOf("**") !== rule.lastIndexOf("**") ? new Map() : undefined;
  return meetings[meetFrom({ rule, path, stars, known }, shared, shared)];
}

const meetings = ["no", "loosely", "aimed"] as const;
type Strength = 0 | 1 | 2;

/** Two lists of names, and the results so far when several stars allow many ways to compare them. */
interface Walk {
  readonly rule: readonly Segment[];
  readonly path: readonly OpenName[];
  readonly stars: number;
  readonly known: Map<number, Strength> | undefined;
}

function meetFrom(walk: Walk, at: number, index: number): Strength {
  const key = at * 4096 + index;
  const before = walk.known?.get(key);
  if (before !== undefined) return before;
  const found = meetHere(walk, at, index);
  walk.known?.set(key, found);
  return found;
}

function meetHere(walk: Walk, at: number, index: number): Strength {
  const { rule, path, stars } = walk;
  const segment = rule[at];
  const name = path[index];
  if (segment === undefined) return 1;
  if (name === undefined) return 0;
  if (segment === "**") {
    if (at + 1 === rule.length) return 1;
    if (at + 2 === rule.length) return meetAnywhere(walk, rule[at + 1]!, index);
    return strongest(meetFrom(walk, at + 1, index), meetFrom(walk, at, index + 1));
  }
  if (name === "**") return strongest(meetFrom(walk, at, index + 1), meetFrom(walk, at + 1, index));
  const here = meetNames(segment, name, stars >= 0 && stars < index);
  if (here === 0) return 0;
  const rest = meetFrom(walk, at + 1, index + 1);
  return rest === 0 ? 0 : strongest(here, rest);
}

/** Compares a rule with one name at any depth, as most rules have. */
function meetAnywhere({ path, stars }: Walk, segment: Segment, first: number): Strength {
  let best: Strength = 0;
  for (let index = first; index < path.length && best < 2; index += 1) {
    const name = path[index]!;
    if (name === "**" || segment === "**") best = strongest(best, 1);
    else best = strongest(best, meetNames(segment, name, stars >= 0 && stars < index));
  }
  return best;
}

function strongest(one: Strength, other: Strength): Strength {
  return one > other ? one : other;
}

/** Returns how strongly one name of a rule and one of a path can be equal. */
export function meetNames(
  rule: NamePattern,
  { pattern, noLeadingDot }: NameAhead,
  astray: boolean,
): Strength {
  if (pattern.shape.kind === "literal") {
    if (!matchSegment(rule, pattern.shape.text)) return 0;
    // The name of a directory matters only when its location is unknown.
    return astray ? 2 : 1;
  }
  const [first] = rule.tokens;
  if (noLeadingDot && typeof first === "object" && "code" in first && first.code === dot) return 0;
  const ways = waysOfShapes(rule.shape, pattern.shape) ?? waysToMeet(rule.tokens, pattern.tokens);
  if (ways & alike) return 2;
  return ways === 0 || (rule.tokens.at(-1) === "*" && isSpelled(pattern.tokens.at(-1))) ? 0 : 1;
}

const dot = 0x2e;

type Shape = NamePattern["shape"];

/** Returns a quick result for the most common patterns; undefined if they need a full comparison. */
function waysOfShapes(rule: Shape, name: Shape): number | undefined {
  if (rule.kind === "general" || name.kind === "general") return undefined;
  if (!("text" in rule) || !("text" in name)) return apart;
  const [one, other] = [rule.text, name.text];
  if (rule.kind === "literal")
    return (name.kind === "prefix" ? one.startsWith(other) : one.endsWith(other)) ? alike : 0;
  if (rule.kind === "prefix" && name.kind === "prefix")
    return one.startsWith(other) || other.startsWith(one) ? alike : 0;
  if (rule.kind === "suffix" && name.kind === "suffix")
    return one.endsWith(other) || other.endsWith(one) ? alike : 0;
  return rule.kind === "prefix" ? overlap(one, other) : overlap(other, one);
}

/** Returns whether the end of the first text and the beginning of the second share more than two letters. */
function overlap(beginning: string, ending: string): number {
  for (let length = Math.min(beginning.length, ending.length); length > 2; length -= 1)
    if (beginning.endsWith(ending.slice(0, length))) return alike;
  return apart;
}

/**
 * `apart` means that two patterns can match the same text but share no spelled-out part; `alike` that they share one.
 */
const apart = 1;
const alike = 2;

/** Returns the ways in which two patterns can match one text: with or without a part that both spell out. */
export function waysToMeet(one: readonly Token[], other: readonly Token[]): number {
  const width = other.length + 1;
  const ways = new Uint8Array((one.length + 1) * width);
  ways[ways.length - 1] = apart;
  for (let left = one.length; left >= 0; left -= 1)
    for (let right = other.length; right >= 0; right -= 1) {
      const [mine, yours] = [one[left], other[right]];
      const at = left * width + right;
      if (mine === "*") ways[at]! |= ways[at + width]! | (yours === undefined ? 0 : ways[at + 1]!);
      if (yours === "*") ways[at]! |= ways[at + 1]! | (mine === undefined ? 0 : ways[at + width]!);
      if (mine === undefined || yours === undefined || mine === "*" || yours === "*") continue;
      const rest = ways[at + width + 1]!;
      if (rest === 0 || !couldBeSame(mine, yours)) continue;
      ways[at]! |= isSpelled(mine) && isSpelled(yours) ? alike : rest;
    }
  return ways[0]!;
}

function isSpelled(token: Token | undefined): boolean {
  return typeof token === "object";
}

function couldBeSame(one: Exclude<Token, "*">, other: Exclude<Token, "*">): boolean {
  if (one === "?" || other === "?") return true;
  if ("code" in one) return matchesOne(other, one.code);
  return "code" in other ? matchesOne(one, other.code) : true;
}
