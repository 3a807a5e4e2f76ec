import { Parser } from "web-tree-sitter";
import type { Outline } from "../../contract/code.ts";
import { loadGrammar } from "../grammars/load-grammar.ts";
import { findLanguage } from "../languages/find-language.ts";
import { outlineOf } from "../symbols/outline-of.ts";
import { withScripts } from "../symbols/with-scripts.ts";

let parser: Parser | undefined;

/** The symbols of a text, in this process: meant for one that may break down. Undefined when it takes too long. */
export async function parseOutline(text: string, language: string): Promise<Outline | undefined> {
  const grammar = await loadGrammar(findLanguage(language).grammar);
  parser ??= new Parser();
  parser.setLanguage(grammar);
  const giveUpAt = performance.now() + parseMs;
  const tree = parser.parse(text, undefined, { progressCallback: () => performance.now() > giveUpAt });
  if (tree === null) {
    parser.reset();
    return undefined;
  }
  try {
    return await withScripts(outlineOf(tree, text, language), text);
  } finally {
    tree.delete();
  }
}

const parseMs = 3000;
