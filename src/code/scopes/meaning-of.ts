import type { Meaning, ScopeRules, Way } from "./scope-rules.ts";
import { unclear } from "./scope-rules.ts";
import type { Place } from "./ways-to.ts";

/** What a name means where it stands, and which step decided that; undefined where it is no code. */
export function meaningOf(
  { way, start, end, isLeaf, isKeyword }: Place,
  rules: ScopeRules,
): { readonly meaning: Meaning; readonly at: number } | undefined {
  const { steps } = way;
  const last = steps.length - 1;
  if (isKeyword) return undefined;
  if (!isLeaf) {
    const meaning = rules.within?.(way, { start, end });
    return meaning && { meaning, at: last };
  }
  const usual = rules.names[steps[last]!.type];
  if (usual === undefined) return undefined;
  if (steps.some(({ type }) => type === "ERROR")) return { meaning: unclear, at: last };
  for (let at = last; at > 0; at -= 1) {
    const said = placeOf(way, at, rules);
    if (said === undefined) break;
    if (said !== "up") return { meaning: said, at: at - 1 };
  }
  return { meaning: typeof usual === "function" ? usual(way) : usual, at: last - 1 };
}

function placeOf(way: Way, at: number, { places }: ScopeRules): Meaning | "up" | undefined {
  const { type } = way.steps[at - 1]!;
  const { field } = way.steps[at]!;
  const found = (field === undefined ? undefined : places[`${type}.${field}`]) ?? places[type];
  return typeof found === "function" ? found(way, at) : found;
}
