import { Parser, type Tree } from "web-tree-sitter";
import type { SymbolRules } from "./symbol-rules.ts";
import { faultsOf } from "./syntax-faults.ts";

const longest = 400_000;

let parser: Parser | undefined;

/** Calls `read` with the tree that has fewer faults: with or without constructs that the grammar cannot parse. */
export function withBestReading<Answer>(
  tree: Tree,
  text: string,
  rules: SymbolRules | undefined,
  read: (tree: Tree, respelled: string) => Answer,
): Answer {
  if (!rules?.respell || text.length > longest || !tree.rootNode.hasError) {
    return read(tree, text);
  }
  const respelled = rules.respell(text);
  if (respelled === text) return read(tree, text);
  parser ??= new Parser();
  parser.setLanguage(tree.language);
  const second = parser.parse(respelled);
  if (!second) return read(tree, text);
  try {
    return faultsIn(second) < faultsIn(tree) ? read(second, respelled) : read(tree, text);
  } finally {
    second.delete();
  }
}

function faultsIn(tree: Tree): number {
  return faultsOf(tree, "", new Uint32Array(1)).length;
}

/** Returns the start of a symbol, including text before it on its line that was blanked out. */
export function startWithBlanked(start: number, text: string, respelled: string): number {
  if (respelled === text) return start;
  let first = start;
  for (let at = start - 1; at >= 0 && (respelled[at] === " " || respelled[at] === "\t"); at--) {
    if (text[at] !== respelled[at]) first = at;
  }
  return first;
}

export function blankOut(text: string, pattern: RegExp): string {
  return text.replace(pattern, (found) => found.replace(/[^\n]/g, " "));
}
