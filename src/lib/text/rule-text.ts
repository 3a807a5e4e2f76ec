import { toCommandLine } from "./shell-quote.ts";

/** Quotes a text so that the rule matches exactly it. */
export function quoteForRule(text: string): string {
  if (/^[\w./:%+,=-]+$/.test(text) && !keywords.has(text)) return text;
  return text.includes("'") ? `"${text.replace(/["\\]/g, "\\$&")}"` : `'${text}'`;
}

const keywords: ReadonlySet<string> = new Set(["by", "of", "because"]);

/** Rules as options of the command line. */
export function ruleFlags(rules: readonly string[]): string {
  return [...new Set(rules)].map((rule) => toCommandLine(["--rule", rule])).join(" ");
}
