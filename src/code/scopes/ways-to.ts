import type { Tree, TreeCursor } from "web-tree-sitter";
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
}

/** Every place where a name stands as a whole word. */
export function waysTo(name: string, tree: Tree, text: string): readonly Place[] {
  const cursor = tree.walk();
  try {
    return wordsLike(name, text).map((start) => {
      const end = start + name.length;
      const { steps, isNamed } = descend(cursor, start);
      const leaf = steps.at(-1)!;
      const isLeaf = leaf.start === start && leaf.end === end;
      return { start, end, way: { steps, text }, isLeaf, isKeyword: isLeaf && !isNamed };
    });
  } finally {
    cursor.delete();
  }
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

function descend(cursor: TreeCursor, start: number): { steps: readonly Step[]; isNamed: boolean } {
  while (cursor.gotoParent());
  const steps = [stepAt(cursor)];
  while (cursor.gotoFirstChildForIndex(start) && cursor.startIndex <= start) steps.push(stepAt(cursor));
  // What begins after the word is not on the way to it.
  if (cursor.startIndex > start) cursor.gotoParent();
  return { steps, isNamed: cursor.nodeIsNamed };
}

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
