import { readFileSync } from "node:fs";
import type { CodeService, CodeSymbol, Outline } from "../../src/contract/code.ts";
import { escapeRegex } from "../../src/lib/text/escape-regex.ts";
import { corpusFiles, type MeasuredLanguage } from "./corpus.ts";
import { type Tag, tagsOf } from "./ctags.ts";

export interface Comparison {
  readonly files: number;
  /** Valid files that the grammar cannot parse. */
  readonly faulty: number;
  readonly symbols: number;
  /** The number of tags of a kind, and how many of them we find with name and line. */
  readonly kinds: ReadonlyMap<string, { readonly tags: number; readonly found: number }>;
  readonly misses: readonly Tag[];
  /** Tags that are not symbols, by the rule that excludes them. */
  readonly mistakes: ReadonlyMap<string, number>;
}

/** Looks up everything that ctags finds among our symbols. */
export async function compare(
  code: CodeService,
  language: MeasuredLanguage,
  wanted: number,
): Promise<Comparison> {
  const files = await corpusFiles(language, wanted);
  const tags = Map.groupBy(tagsOf(language, files), ({ path }) => path);
  const kinds = new Map<string, { tags: number; found: number }>();
  const mistakes = new Map<string, number>();
  const misses: Tag[] = [];
  let faulty = 0;
  let symbols = 0;
  for (const path of files) {
    const text = readFileSync(path, "utf8");
    const outline = await code.outline({ path, text, language }, { signal: new AbortController().signal });
    symbols += outline.symbols.length;
    if (outline.faults.length > 0) faulty++;
    const lines = text.split("\n");
    const known = placesOf(outline);
    for (const tag of tags.get(path) ?? []) {
      const mistake = mistakeOf(tag, lines[tag.line - 1] ?? "", language);
      if (mistake) {
        mistakes.set(mistake, (mistakes.get(mistake) ?? 0) + 1);
        continue;
      }
      const counts = kinds.get(tag.kind) ?? { tags: 0, found: 0 };
      kinds.set(tag.kind, counts);
      counts.tags++;
      if (known.has(`${tag.line} ${lastWord(tag.name)}`)) counts.found++;
      else misses.push(tag);
    }
  }
  return { files: files.length, faulty, symbols, kinds, misses, mistakes };
}

/** The line and name of every symbol. An impl counts under every name in it, because ctags uses the last. */
function placesOf({ symbols }: Outline): ReadonlySet<string> {
  return new Set(symbols.flatMap((symbol) => namesOf(symbol).map((name) => `${symbol.line} ${name}`)));
}

function namesOf({ kind, name }: CodeSymbol): readonly string[] {
  return kind === "impl" ? (name.match(/\w+/g) ?? []) : [lastWord(name)];
}

/** `Outer<T>::name` is `name`; ctags writes `operator ==`, most code `operator==`. */
function lastWord(name: string): string {
  const operator = /\boperator\b.*$/s.exec(name)?.[0];
  if (operator !== undefined) return operator.replace(/\s+/g, "");
  return name.replace(/<.*>/s, "").split(/::|\./).at(-1)!.trim();
}

/** Why a tag is not a symbol. These are rules, not a list of positions. */
function mistakeOf({ name, kind }: Tag, line: string, language: MeasuredLanguage): string | undefined {
  if (/^__anon|^AnonymousFunction|^anonymous/.test(name)) return "a name that ctags made up";
  if (/^(true|false|new|get|set|if|for|while|return|typeof|extends)$/.test(name)) {
    return "a word of the language taken for a name";
  }
  if (!name.includes("operator") && !line.includes(lastWord(name)))
    return "a line on which the name does not stand";
  if (kind === "alias" && !new RegExp(`\\btype\\s+${escapeRegex(name)}\\s*([=<]|$)`).test(line)) {
    return "an import taken for a type alias";
  }
  const isC = language === "c" || language === "cpp";
  if (isC && kind === "function" && /^[A-Z0-9_]+$/.test(name) && line.trim().startsWith(name)) {
    return "a macro that is called, taken for a function";
  }
  return undefined;
}
