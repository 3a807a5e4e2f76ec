import type { Node, Tree, TreeCursor } from "web-tree-sitter";
import type { Step, Way } from "./scope-rules.ts";

/** A whole word of the text, and the way to the leaf that it stands in. */
export interface Place {
  readonly start: number;
  readonly end: number;
  readonly way: Way;
  /** The leaf is this word, and not text that holds it. */
  readonly isLeaf: boolean;
  /** The leaf is a word of the language. */
  readonly isKeyword: boolean;
  /** Where the grammar does not understand the text; at most `mostErrors`. */
  readonly errors: readonly number[];
}

/** With so many nothing is certain. */
export const mostErrors = 100;

/** Every place where a name stands as a whole word. */
export function waysTo(name: string, tree: Tree, text: string): readonly Place[] {
  const starts = wordsLike(name, text);
  const errors = starts.length === 0 ? [] : errorsBelow(tree.rootNode);
  const places: Place[] = [];
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
  /** Goes down where a word is; those between its children stand in the node itself. */
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
    // What stands behind the last node is no code.
    return places;
  } finally {
    cursor.delete();
  }
}

/** What is only missing, as the semicolon after a macro, leaves the rest as it is. */
function errorsBelow(root: Node): readonly number[] {
  const errors: number[] = [];
  const rest = [root];
  for (let node = rest.pop(); node !== undefined && errors.length < mostErrors; node = rest.pop()) {
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
