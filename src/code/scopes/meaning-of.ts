import type { Meaning, ScopeRules, Step, Way } from "./scope-rules.ts";
import { unclear } from "./scope-rules.ts";
import { mostErrors, type Place } from "./ways-to.ts";

/**
 * What a name means where it stands, and which step decided that; undefined where it is no code. What is neither text nor
 * a word of the language, and no name that the rules know, may mean anything.
 */
export function meaningOf(
  { way, start, end, isLeaf, isKeyword, errors }: Place,
  rules: ScopeRules,
): Understanding | undefined {
  const { steps } = way;
  const last = steps.length - 1;
  const isToken = isLeaf && rules.tokens?.test(steps[last - 1]?.type ?? "") === true;
  if (isToken || (isLeaf && !isKeyword && rules.names[steps[last]!.type] !== undefined))
    return named(way, errors, rules);
  if (isKeyword)
    return isNameOfItsOwn(steps, rules)
      ? named({ ...way, steps: steps.slice(0, -1) }, errors, rules)
      : undefined;
  const within = rules.within?.(way, { start, end });
  if (within !== undefined) return { meaning: within, at: last };
  return isOtherText(way, { start, end }, rules) ? undefined : { meaning: unclear, at: last };
}

interface Understanding {
  readonly meaning: Meaning;
  /** Index of the step that decided. */
  readonly at: number;
}

/** Words that are keywords elsewhere, as `data` in Kotlin, can stand in a node that is a name. */
function isNameOfItsOwn(steps: readonly Step[], { names }: ScopeRules): boolean {
  const [above, word] = [steps.at(-2), steps.at(-1)!];
  return above?.start === word.start && above.end === word.end && names[above.type] !== undefined;
}

function named(way: Way, errors: readonly number[], rules: ScopeRules): Understanding {
  const found = understood(way, rules);
  if (!hasDoubtfulScope(way.steps, errors, rules)) return found;
  const isDefinition = found.meaning.is === "definition";
  return { ...found, meaning: { ...unclear, ...(isDefinition && { role: "definition" }) } };
}

function understood(way: Way, rules: ScopeRules): Understanding {
  const { steps } = way;
  const last = steps.length - 1;
  for (let at = last; at > 0; at -= 1) {
    const said = placeOf(way, at, rules);
    if (said === undefined) break;
    if (said !== "up") return { meaning: said, at: at - 1 };
  }
  const usual = rules.names[steps[last]!.type] ?? unclear;
  return { meaning: typeof usual === "function" ? usual(way) : usual, at: last - 1 };
}

/** A scope that holds an error may end elsewhere in truth. */
function hasDoubtfulScope(
  steps: readonly Step[],
  errors: readonly number[],
  { scopes }: ScopeRules,
): boolean {
  if (errors.length === 0) return false;
  if (errors.length === mostErrors) return true;
  return steps.some(({ type, start, end }, index) => {
    const isScope = type === "ERROR" || (index > 0 && scopes[type] !== undefined);
    return isScope && errors.some((error) => start <= error && error < end);
  });
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
