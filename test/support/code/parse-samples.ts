/** Prints the languages whose sample cannot be parsed, and why. For a Node of any version, with --liftoff-only. */
import { Parser } from "web-tree-sitter";
import { loadGrammar } from "../../../src/code/grammars/load-grammar.ts";
import { languages } from "../../../src/code/languages/languages.ts";
import { samples } from "./samples.ts";

const failures: string[] = [];
for (const { name, grammar } of languages) {
  const language = await loadGrammar(grammar);
  const parser = new Parser().setLanguage(language);
  const tree = parser.parse(samples[name]!);
  if (tree?.rootNode.hasError !== false) failures.push(`${name}: ${tree?.rootNode.toString()}`);
  tree?.delete();
  parser.delete();
}
console.log(JSON.stringify({ parsed: languages.length, failures }));
