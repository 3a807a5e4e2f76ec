import type { CommandAnalysis, Word } from "../../../src/engine/policy/commands/command.ts";
import { escapeRegex } from "../../../src/lib/text/escape-regex.ts";

/** Whether an analysis has a program that ran with these words, or says that the command is not plain. */
export function explains(analysis: CommandAnalysis, run: readonly string[]): boolean {
  if (analysis.notPlain.length > 0) return true;
  const text = run.map((word) => `\x02${word}`).join("");
  return analysis.commands.some(({ words }) => words.length > 0 && pattern(words).test(text));
}

/** A word with a pattern may become several, or none. */
function pattern(words: readonly Word[]): RegExp {
  const each = words.map(({ value, start, isInHome }) => {
    if (value === undefined) return `(?:\\x02${escapeRegex(start)}[^]*?)?`;
    return isInHome ? `\\x02[^\\x02]*${escapeRegex(value.slice(1))}` : `\\x02${escapeRegex(value)}`;
  });
  return new RegExp(`^${each.join("")}$`);
}
