import type { Meaning, ScopeRules, Step, Way } from "./scope-rules.ts";
import { unclear } from "./scope-rules.ts";
import type { Place } from "./ways-to.ts";

/**
 * What a name means where it stands, and which step decided that; undefined where it is no code. What is neither text nor
 * a word of the language, and no name that the rules know, may mean anything.
 */
export function meaningOf(
  { way, start, end, isLeaf, isKeyword }: Place,
  rules: ScopeRules,
): { readonly meaning: Meaning; readonly at: number } | undefined {
  const { steps } = way;
  const last = steps.length - 1;
  const { type } = steps[last]!;
  const isToken = isLeaf && rules.tokens?.test(steps[last - 1]?.type ?? "") === true;
  if (isKeyword && !isToken) return isNameOfItsOwn(steps, rules) ? named(nameAbove(way), rules) : undefined;
  if (isLeaf && (isToken || rules.names[type] !== undefined)) return named(way, rules);
  const within = rules.within?.(way, { start, end });
  if (within !== undefined) return { meaning: within, at: last };
  return isOtherText(way, { start, end }, rules) ? undefined : { meaning: unclear, at: last };
}

/** Words that are keywords elsewhere, as `data` in Kotlin, can stand in a node that is a name. */
function isNameOfItsOwn(steps: readonly Step[], { names }: ScopeRules): boolean {
  const [above, word] = [steps.at(-2), steps.at(-1)!];
  return above?.start === word.start && above.end === word.end && names[above.type] !== undefined;
}

function nameAbove({ steps, text }: Way): Way {
  return { steps: steps.slice(0, -1), text };
}

function named(way: Way, rules: ScopeRules): { readonly meaning: Meaning; readonly at: number } {
  const { steps } = way;
  const last = steps.length - 1;
  if (steps.some(({ type }) => type === "ERROR")) return { meaning: unclear, at: last };
  for (let at = last; at > 0; at -= 1) {
    const said = placeOf(way, at, rules);
    if (said === undefined) break;
    if (said !== "up") return { meaning: said, at: at - 1 };
  }
  const usual = rules.names[steps[last]!.type] ?? unclear;
  return { meaning: typeof usual === "function" ? usual(way) : usual, at: last - 1 };
}

function placeOf(way: Way, at: number, { places }: ScopeRules): Meaning | "up" | undefined {
  const { type } = way.steps[at - 1]!;
  const { field } = way.steps[at]!;
  const found = (field === undefined ? undefined : places[`${type}.${field}`]) ?? places[type];
  return typeof found === "function" ? found(way, at) : found;
}

/** Text, a type that the language has, or a part of a name that is not the same in another spelling, as `r#name` is. */
function isOtherText({ steps, text }: Way, { start, end }: Pick<Step, "start" | "end">, rules: ScopeRules) {
  const leaf = steps.at(-1)!;
  if (rules.names[leaf.type] === undefined)
    return notCode.test(leaf.type) || /region$/.test(steps.at(-2)?.type ?? "");
  return !/^(?:@|r#|`)$/.test(text.slice(leaf.start, start)) || !/^`?$/.test(text.slice(end, leaf.end));
}

const notCode =
  /comment|string|text|content|char|rune|heredoc|nowdoc|regex|escape|format|conversion|literal|number|integer|float|word|operator|modifier|directive|(?:primitive|predefined|cast)_type|tag|hash_?bang|shebang|metavariable|[#!"'`-]/;
