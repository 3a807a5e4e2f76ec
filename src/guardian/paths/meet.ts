import type { Segment } from "../../text/glob-segment.ts";
import { alike, isSpelled, waysToMeet } from "./meet-tokens.ts";
import type { OpenName } from "./path-target.ts";

/**
 * Whether a path that only the shell will know may become one that a rule is about. "aimed": both spell out something
 * that is the same; "loosely": the path leaves it open. `*.ts` and `id_rsa*` do not meet, although a file could be named
 * so: what the shell's pattern spells out at the end would have to be what the rule leaves open there.
 */
export type Meeting = "no" | "loosely" | "aimed";

/** A rule's names may end above the path: a directory is refused with all in it. */
export function meet(rule: readonly Segment[], path: readonly OpenName[]): Meeting {
  const width = path.length + 1;
  const known = new Map<number, Strength>();
  const from = (at: number, place: number): Strength => {
    const key = at * width + place;
    const before = known.get(key);
    if (before !== undefined) return before;
    const found = meetFrom(rule, at, path, place, from);
    known.set(key, found);
    return found;
  };
  return meetings[from(0, 0)];
}

const meetings = ["no", "loosely", "aimed"] as const;
type Strength = 0 | 1 | 2;
type From = (at: number, place: number) => Strength;

function meetFrom(
  rule: readonly Segment[],
  at: number,
  path: readonly OpenName[],
  place: number,
  from: From,
): Strength {
  const segment = rule[at];
  const name = path[place];
  if (segment === undefined) return 1;
  if (name === undefined) return 0;
  if (segment === "**")
    return at + 1 === rule.length ? 1 : strongest(from(at + 1, place), from(at, place + 1));
  if (name === "**") return strongest(from(at, place + 1), from(at + 1, place));
  const here = meetNames(segment, name, path.indexOf("**") < place && path.includes("**"));
  if (here === 0) return 0;
  const rest = from(at + 1, place + 1);
  return rest === 0 ? 0 : strongest(here, rest);
}

function strongest(one: Strength, other: Strength): Strength {
  return one > other ? one : other;
}

type RuleName = Exclude<Segment, "**">;

function meetNames(rule: RuleName, name: Exclude<OpenName, "**">, astray: boolean): Strength {
  if (rule.shape.kind === "literal" && name.shape.kind === "literal") {
    if (rule.shape.text !== name.shape.text) return 0;
    // An equal directory says something only when nobody knows where it is.
    return astray ? 2 : 1;
  }
  const [first] = rule.tokens;
  if (name.noLeadingDot && typeof first === "object" && "code" in first && first.code === dot) return 0;
  const ways = waysToMeet(rule.tokens, name.tokens);
  if (ways & alike) return 2;
  return ways === 0 || (rule.tokens.at(-1) === "*" && isSpelled(name.tokens.at(-1))) ? 0 : 1;
}

const dot = 0x2e;
