import { ToolError } from "../../contract/error.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { languageOf } from "./language-of.ts";
import { type CodeLanguage, languageNames, languages } from "./languages.ts";

/** Names come last in the list, so that they override aliases and extensions of other languages. */
const byWord: ReadonlyMap<string, CodeLanguage> = new Map(
  [
    (language: CodeLanguage) => language.extensions,
    (language: CodeLanguage) => language.aliases,
    (language: CodeLanguage) => [language.name],
    (language: CodeLanguage) => [language.grammar],
  ].flatMap((wordsOf) =>
    languages.flatMap((language) => wordsOf(language).map((word) => [word, language] as const)),
  ),
);

/** Returns the language for a name, an alias ("ts", "c++", "golang") or an extension, or throws. */
export function findLanguage(word: string): CodeLanguage {
  const plain = word.trim().toLowerCase().replace(/^\./, "");
  const found = byWord.get(plain) ?? byWord.get(plain.replace(/[\s_]+/g, "-"));
  if (found) return found;
  const near = nearest(plain, byWord.keys());
  throw new ToolError("unsupported", `There is no grammar for the language "${word}"`, {
    hint: near ? `Did you mean "${byWord.get(near)!.name}"?` : `Use one of: ${languageNames.join(", ")}.`,
  });
}

export function languageOfFile(path: string, text: string): CodeLanguage {
  const name = languageOf(path, text);
  if (name !== undefined) return byWord.get(name)!;
  throw new ToolError("unsupported", `The language of ${path} is unknown, so it cannot be parsed`, {
    hint: editAsText,
  });
}

export const editAsText = "Read and edit it as text: file.read, edit.replace.";

/**
 * Grammars with a function of more than 170 kB. V8 takes many seconds to optimize such a function, and in Node 24 so
 * much memory that the process is killed. Workers for these grammars turn the optimization off.
 */
export const heavyGrammars: ReadonlySet<string> = new Set(
  "elixir fortran latex powershell swift vim".split(" "),
);

/**
 * Grammars with a function of more than 120 kB. After some hundred kB of text V8 optimizes it, which takes more than
 * 500 MB and longer than all files of most workspaces. Only an index parses that much.
 */
export const largeGrammars: ReadonlySet<string> = new Set("bash kotlin markdown razor ssh_config".split(" "));

/** Returns whether the index parses a language in a worker that does not optimize. */
export function isHeavyToIndex(language: string | undefined): boolean {
  if (language === undefined) return false;
  const { grammar } = findLanguage(language);
  return heavyGrammars.has(grammar) || largeGrammars.has(grammar);
}
