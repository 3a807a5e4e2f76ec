import { toCommandLine } from "./shell-quote.ts";

/** Quotes a text so that a rule matches exactly this text. */
export function quoteForRule(text: string): string {
  if (/^[\w./:%+,=-]+$/.test(text) && !keywords.has(text)) return text;
  return text.includes("'") ? `"${text.replace(/["\\]/g, "\\$&")}"` : `'${text}'`;
}

/** Quotes a path of the home, such as `~/a`, or any other. In quotes, `~` would be a name. */
export function quotePathForRule(path: string): string {
  return path.startsWith("~/") ? `~/${quoteForRule(path.slice(2))}` : quoteForRule(path);
}

const keywords: ReadonlySet<string> = new Set(["by", "of", "because", "while"]);

export function ruleFlags(rules: readonly string[]): string {
  return [...new Set(rules)].map((rule) => toCommandLine(["--rule", rule])).join(" ");
}
