import { ToolError } from "../../contract/error.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { languageOf } from "./language-of.ts";
import { type CodeLanguage, languageNames, languages } from "./languages.ts";

const byWord: ReadonlyMap<string, CodeLanguage> = new Map(
  // Names last, so that they win over the aliases and extensions of others.
  [
    ...languages.flatMap((language) => language.extensions.map((word) => [word, language] as const)),
    ...languages.flatMap((language) => language.aliases.map((word) => [word, language] as const)),
    ...languages.map((language) => [language.name, language] as const),
    ...languages.map((language) => [language.grammar, language] as const),
  ],
);

/** The language for a name, an alias ("ts", "c++", "golang") or an extension. */
export function findLanguage(word: string): CodeLanguage {
  const plain = word.trim().toLowerCase().replace(/^\./, "");
  const found = byWord.get(plain) ?? byWord.get(plain.replace(/[\s_]+/g, "-"));
  if (found) return found;
  const near = nearest(plain, byWord.keys());
  throw new ToolError("unsupported", `There is no grammar for the language "${word}"`, {
    hint: near ? `Did you mean "${byWord.get(near)!.name}"?` : `Known: ${languageNames.join(", ")}.`,
  });
}

export function languageOfFile(path: string, text: string): CodeLanguage {
  const name = languageOf(path, text);
  if (name !== undefined) return byWord.get(name)!;
  throw new ToolError("unsupported", `The language of ${path} is not known, so it cannot be parsed`, {
    hint: "Read and edit it as text: file.read, edit.replace.",
  });
}

/**
 * Grammars with a function of more than 170 kB. V8 optimizes a hot function: for one that large this takes many
 * seconds, and in Node 24 so much memory that the process is killed. Workers for them turn the optimization off.
 */
export const heavyGrammars: ReadonlySet<string> = new Set([
  "elixir",
  "fortran",
  "latex",
  "powershell",
  "swift",
  "vim",
]);

export function isHeavy(language: string): boolean {
  return heavyGrammars.has(findLanguage(language).grammar);
}
