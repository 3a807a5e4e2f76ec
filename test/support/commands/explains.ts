import { escapeRegex } from "../../../src/lib/text/escape-regex.ts";
import type { CommandAnalysis, Word } from "../../../src/policy/commands/analysis.ts";

/**
 * Whether an analysis reported a program that ran with these words, or reported that it did not understand the
 * command.
 */
export function explains(analysis: CommandAnalysis, run: readonly string[]): boolean {
  if (analysis.notUnderstood.length > 0) return true;
  const text = run.map((word) => `\x02${word}`).join("");
  return analysis.commands.some(({ words }) => words.length > 0 && pattern(words).test(text));
}

function pattern(words: readonly Word[]): RegExp {
  const each = words.map(({ parts }) => {
    const text = parts.map((part) => {
      if (typeof part === "string") return escapeRegex(part);
      return part.splits ? "[^]*?" : "[^\\x02]*";
    });
    const splits = parts.some((part) => typeof part !== "string" && part.splits);
    return splits ? `(?:\\x02${text.join("")})?` : `\\x02${text.join("")}`;
  });
  return new RegExp(`^${each.join("")}$`);
}
