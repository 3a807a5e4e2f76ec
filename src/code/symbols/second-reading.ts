import { Parser, type Tree } from "web-tree-sitter";
import { faultsOf } from "./faults-of.ts";
import type { SymbolRules } from "./symbol-rules.ts";

/** Of texts that are tried again: it costs as much as the first time. */
const longest = 400_000;

let parser: Parser | undefined;

/**
 * Calls `read` with the tree that has the fewest faults: that of the text, or of the text without what the grammar is known
 * not to understand. Places are the same in both.
 */
export function withBestReading<Answer>(
  tree: Tree,
  text: string,
  rules: SymbolRules | undefined,
  read: (tree: Tree) => Answer,
): Answer {
  if (!rules?.respell || text.length > longest || !tree.rootNode.hasError) return read(tree);
  const respelled = rules.respell(text);
  if (respelled === text) return read(tree);
  parser ??= new Parser();
  parser.setLanguage(tree.language);
  const second = parser.parse(respelled);
  if (!second) return read(tree);
  try {
    return faultsIn(second) < faultsIn(tree) ? read(second) : read(tree);
  } finally {
    second.delete();
  }
}

function faultsIn(tree: Tree): number {
  return faultsOf(tree, "", new Uint32Array(1)).length;
}

/** Blanks out what a pattern finds, and leaves lines where they are. */
export function blankOut(text: string, pattern: RegExp): string {
  return text.replace(pattern, (found) => found.replace(/[^\n]/g, " "));
}
