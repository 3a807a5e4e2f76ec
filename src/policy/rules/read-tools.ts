import { type RuleWord, unknownWord } from "./read-words.ts";
import type { ToolPattern } from "./rule.ts";

/** `a b of SERVER`: the tools that some words name. */
export function readTools(words: readonly RuleWord[]): readonly ToolPattern[] {
  const of = words.findIndex(({ bare, text }) => bare && text === "of");
  const names = of < 0 ? words : words.slice(0, of);
  const server = of < 0 ? undefined : words[of + 1];
  if (names.length === 0) throw unknownWord(words[0]!, "name a tool before `of`");
  if (of >= 0 && (server === undefined || of + 2 !== words.length))
    throw unknownWord(words[of + 2] ?? words[of]!, "after `of` comes the name of one MCP server");
  return names.map((name) => ({ name, server }));
}
