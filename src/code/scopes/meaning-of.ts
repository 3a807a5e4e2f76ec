import type { Node, Tree, TreeCursor } from "web-tree-sitter";
import type { TextSpan } from "../lines.ts";
import { type Meaning, NodePath, type ScopeRules, type Step } from "./scope-rules.ts";

/** Returns the meaning of a name and the step that decided it, or undefined outside code. Unknown names are unclear. */
export function meaningOf(
  { path, start, end, isLeaf, isKeyword, errors }: NameLocation,
  rules: ScopeRules,
): Understanding | undefined {
  const { steps } = path;
  const last = steps.length - 1;
  const isToken = isLeaf && rules.tokens?.test(steps[last - 1]?.type ?? "") === true;
  if (isToken || (isLeaf && !isKeyword && rules.names[steps[last]!.type] !== undefined))
    return named(path, errors, rules);
  if (isKeyword)
    return isNameOfItsOwn(steps, rules)
      ? named(new NodePath(steps.slice(0, -1), path.text), errors, rules)
      : undefined;
  const within = rules.within?.(path, { start, end });
  if (within !== undefined) return { meaning: within, at: last };
  return isOtherText(path, { start, end }, rules) ? undefined : { meaning: "unclear", at: last };
}

interface Understanding {
  readonly meaning: Meaning;
  readonly at: number;
}

/** Returns whether a soft keyword, such as `data` in Kotlin, is used as a name. */
function isNameOfItsOwn(steps: readonly Step[], { names }: ScopeRules): boolean {
  const [above, word] = [steps.at(-2), steps.at(-1)!];
  return above?.start === word.start && above.end === word.end && names[above.type] !== undefined;
}

function named(path: NodePath, errors: readonly number[], rules: ScopeRules): Understanding {
  const found = understood(path, rules);
  if (!hasDoubtfulScope(path.steps, errors, rules)) return found;
  const isDefinition = typeof found.meaning === "object" && found.meaning.is === "definition";
  return { ...found, meaning: isDefinition ? "unclear definition" : "unclear" };
}

function understood(path: NodePath, rules: ScopeRules): Understanding {
  const { steps } = path;
  const last = steps.length - 1;
  for (let at = last; at > 0; at -= 1) {
    const decided = meaningAt(path, at, rules);
    if (decided === undefined) break;
    if (decided !== "up") return { meaning: decided, at: at - 1 };
  }
  const usual = rules.names[steps[last]!.type] ?? "unclear";
  return { meaning: typeof usual === "function" ? usual(path) : usual, at: last - 1 };
}

/** Returns whether a scope around the name has a syntax error, so that it may really end at another token. */
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

function meaningAt(path: NodePath, at: number, { positions }: ScopeRules): Meaning | "up" | undefined {
  const { type } = path.steps[at - 1]!;
  const { field } = path.steps[at]!;
  const found = (field === undefined ? undefined : positions[`${type}.${field}`]) ?? positions[type];
  return typeof found === "function" ? found(path, at) : found;
}

/** Returns whether the word is text, a built-in type or a part of a longer name, except `r#name`. */
function isOtherText({ steps, text }: NodePath, { start, end }: TextSpan, rules: ScopeRules): boolean {
  const leaf = steps.at(-1)!;
  if (rules.names[leaf.type] === undefined)
    return notCode.test(leaf.type) || /region$/.test(steps.at(-2)?.type ?? "");
  return !/^(?:@|r#|`)$/.test(text.slice(leaf.start, start)) || !/^`?$/.test(text.slice(end, leaf.end));
}

const notCode =
  /comment|string|text|content|char|rune|heredoc|nowdoc|regex|escape|format|conversion|literal|number|integer|float|word|operator|modifier|directive|(?:primitive|predefined|cast)_type|tag|hash_?bang|shebang|metavariable|[#!"'`-]/;

/** A whole word of the text, with the path to its leaf. */
export interface NameLocation extends TextSpan {
  readonly path: NodePath;
  /** Whether the leaf is exactly this word, not a text that contains it. */
  readonly isLeaf: boolean;
  readonly isKeyword: boolean;
  /** The offsets of syntax errors, at most `maxErrors`. */
  readonly errors: readonly number[];
}

const maxErrors = 100;

export function nameLocations(name: string, tree: Tree, text: string): readonly NameLocation[] {
  const starts = wordsLike(name, text);
  const errors = starts.length === 0 ? [] : errorsBelow(tree.rootNode);
  const found: NameLocation[] = [];
  const steps: Step[] = [];
  const cursor = tree.walk();
  const take = (isNamed: boolean) => {
    const start = starts[found.length]!;
    const end = start + name.length;
    const leaf = steps.at(-1)!;
    const isLeaf = leaf.start === start && leaf.end === end;
    const isKeyword = isLeaf && !isNamed;
    found.push({ start, end, path: new NodePath([...steps], text), isLeaf, isKeyword, errors });
  };
  /** Descends to the words. Words between the children are in the node itself. */
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
  const next = () => starts[found.length] ?? Number.POSITIVE_INFINITY;
  try {
    if (starts.length > 0) visit();
    // Text after the last node is not code and is left out.
    return found;
  } finally {
    cursor.delete();
  }
}

/** Returns the offsets of syntax errors. A missing token, such as the semicolon after a macro, does not count. */
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
  const startsAsWord = /^\p{ID_Continue}/u.test(name);
  const endsAsWord = /\p{ID_Continue}$/u.test(name);
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const before = /\p{ID_Continue}$/u.test(text.slice(Math.max(0, at - 2), at));
    const after = /^\p{ID_Continue}/u.test(text.slice(at + name.length, at + name.length + 2));
    if (!(before && startsAsWord) && !(after && endsAsWord)) starts.push(at);
  }
  return starts;
}

function stepAt(cursor: TreeCursor): Step {
  const { nodeType, currentFieldName, startIndex, endIndex, nodeId } = cursor;
  const field = currentFieldName ?? undefined;
  return { type: nodeType, field, start: startIndex, end: endIndex, id: nodeId };
}
