import type { Node, Tree, TreeCursor } from "web-tree-sitter";
import { type Meaning, type NodePath, type ScopeRules, type Step, unclear } from "./scope-rules.ts";

/**
 * The meaning of a name and the step that decided it; undefined where it is not code. A name that the rules do not
 * know, and that is neither text nor a keyword, is unclear.
 */
export function meaningOf(
  { way, start, end, isLeaf, isKeyword, errors }: NameLocation,
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
  readonly at: number;
}

/** Soft keywords, like `data` in Kotlin, can be inside a node that is a name. */
function isNameOfItsOwn(steps: readonly Step[], { names }: ScopeRules): boolean {
  const [above, word] = [steps.at(-2), steps.at(-1)!];
  return above?.start === word.start && above.end === word.end && names[above.type] !== undefined;
}

function named(way: NodePath, errors: readonly number[], rules: ScopeRules): Understanding {
  const found = understood(way, rules);
  if (!hasDoubtfulScope(way.steps, errors, rules)) return found;
  const isDefinition = found.meaning.is === "definition";
  return { ...found, meaning: { ...unclear, ...(isDefinition && { role: "definition" }) } };
}

function understood(way: NodePath, rules: ScopeRules): Understanding {
  const { steps } = way;
  const last = steps.length - 1;
  for (let at = last; at > 0; at -= 1) {
    const decided = meaningAt(way, at, rules);
    if (decided === undefined) break;
    if (decided !== "up") return { meaning: decided, at: at - 1 };
  }
  const usual = rules.names[steps[last]!.type] ?? unclear;
  return { meaning: typeof usual === "function" ? usual(way) : usual, at: last - 1 };
}

/** A scope with a syntax error may really end elsewhere. */
function hasDoubtfulScope(
  steps: readonly Step[],
  errors: readonly number[],
  { scopes }: ScopeRules,
): boolean {
  if (errors.length === 0) return false;
  if (errors.length === maxErrors) return true;
  return steps.some(({ type, start, end }, index) => {
    const isScope = type === "ERROR" || (index > 0 && scopes[type] !== undefined);
    return isScope && errors.some((error) => start <= error && error < end);
  });
}

function meaningAt(way: NodePath, at: number, { positions: places }: ScopeRules): Meaning | "up" | undefined {
  const { type } = way.steps[at - 1]!;
  const { field } = way.steps[at]!;
  const found = (field === undefined ? undefined : places[`${type}.${field}`]) ?? places[type];
  return typeof found === "function" ? found(way, at) : found;
}

/** Text, a built-in type, or a part of a longer name that is not just another spelling, as `r#name` is. */
function isOtherText(
  { steps, text }: NodePath,
  { start, end }: Pick<Step, "start" | "end">,
  rules: ScopeRules,
) {
  const leaf = steps.at(-1)!;
  if (rules.names[leaf.type] === undefined)
    return notCode.test(leaf.type) || /region$/.test(steps.at(-2)?.type ?? "");
  return !/^(?:@|r#|`)$/.test(text.slice(leaf.start, start)) || !/^`?$/.test(text.slice(end, leaf.end));
}

const notCode =
  /comment|string|text|content|char|rune|heredoc|nowdoc|regex|escape|format|conversion|literal|number|integer|float|word|operator|modifier|directive|(?:primitive|predefined|cast)_type|tag|hash_?bang|shebang|metavariable|[#!"'`-]/;

/** A whole word of the text, and the path to its leaf. */
export interface NameLocation {
  readonly start: number;
  readonly end: number;
  readonly way: NodePath;
  /** The leaf is this word, and not a text that contains it. */
  readonly isLeaf: boolean;
  readonly isKeyword: boolean;
  /** Where the text does not parse; at most `maxErrors`. */
  readonly errors: readonly number[];
}

/** With this many errors nothing is certain. */
const maxErrors = 100;

export function nameLocations(name: string, tree: Tree, text: string): readonly NameLocation[] {
  const starts = wordsLike(name, text);
  const errors = starts.length === 0 ? [] : errorsBelow(tree.rootNode);
  const places: NameLocation[] = [];
  const steps: Step[] = [];
  const cursor = tree.walk();
  const take = (isNamed: boolean) => {
    const start = starts[places.length]!;
    const end = start + name.length;
    const leaf = steps.at(-1)!;
    const isLeaf = leaf.start === start && leaf.end === end;
    const isKeyword = isLeaf && !isNamed;
    places.push({ start, end, way: { steps: [...steps], text }, isLeaf, isKeyword, errors });
  };
  /** Descends to the words; those between the children are in the node itself. */
  const visit = () => {
    const isNamed = cursor.nodeIsNamed;
    const step = stepAt(cursor);
    steps.push(step);
    if (cursor.gotoFirstChild()) {
      do {
        while (next() < cursor.startIndex) take(isNamed);
        if (next() < cursor.endIndex) visit();
      } while (next() < step.end && cursor.gotoNextSibling());
      cursor.gotoParent();
    }
    while (next() < step.end) take(isNamed);
    steps.pop();
  };
  const next = () => starts[places.length] ?? Number.POSITIVE_INFINITY;
  try {
    if (starts.length > 0) visit();
    // Text after the last node is not code.
    return places;
  } finally {
    cursor.delete();
  }
}

/** A missing token, like the semicolon after a macro, does not change the rest. */
function errorsBelow(root: Node): readonly number[] {
  const errors: number[] = [];
  const rest = [root];
  for (let node = rest.pop(); node !== undefined && errors.length < maxErrors; node = rest.pop()) {
    if (node.isError) errors.push(node.startIndex);
    else if (node.hasError) for (const child of node.children) rest.push(child);
  }
  return errors;
}

function wordsLike(name: string, text: string): readonly number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const before = /\p{ID_Continue}$/u.test(text.slice(Math.max(0, at - 2), at));
    const after = /^\p{ID_Continue}/u.test(text.slice(at + name.length, at + name.length + 2));
    if (!(before && isWordStart(name)) && !(after && isWordEnd(name))) starts.push(at);
  }
  return starts;
}

const isWordStart = (name: string) => /^\p{ID_Continue}/u.test(name);
const isWordEnd = (name: string) => /\p{ID_Continue}$/u.test(name);

function stepAt(cursor: TreeCursor): Step {
  const { nodeType, currentFieldName, startIndex, endIndex, nodeId } = cursor;
  return {
    type: nodeType,
    field: currentFieldName ?? undefined,
    start: startIndex,
    end: endIndex,
    id: nodeId,
  };
}
