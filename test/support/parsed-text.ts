import { Parser, type Tree } from "web-tree-sitter";
import { loadGrammar } from "../../src/code/grammars/load-grammar.ts";
import { findLanguage } from "../../src/code/languages/find-language.ts";
import { outlineOf } from "../../src/code/symbols/outline-of.ts";
import type { Outline } from "../../src/contract/code.ts";

/** Parses in this process, for small texts. */
export async function parserOf(language: string): Promise<Parser> {
  const grammar = await loadGrammar(findLanguage(language).grammar);
  const parser = new Parser();
  parser.setLanguage(grammar);
  return parser;
}

export async function outlineOfText(language: string, text: string): Promise<Outline> {
  const parser = await parserOf(language);
  const tree: Tree | null = parser.parse(text);
  if (!tree) throw new Error("It was not parsed");
  try {
    return outlineOf(tree, text, language);
  } finally {
    tree.delete();
    parser.delete();
  }
}
