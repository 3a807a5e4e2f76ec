import { printable } from "../../lib/text/printable.ts";

/**
 * Returns a Markdown code block with a fence that the text does not contain, so that text from files, commands and models
 * cannot leave it.
 */
export function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${printable(text).trimEnd()}\n${fence}`;
}
