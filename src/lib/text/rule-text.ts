import { toCommandLine } from "./shell-quote.ts";

/** Quotes a text so that a rule matches exactly this text. */
export function quoteForRule(text: string): string {
  if (/^[\w./:%+,=-]+$/.test(text) && !keywords.has(text)) return text;
  return text.includes("'") ? `"${text.replace(/["\\]/g, "\\$&")}"` : `'${text}'`;
}

const keywords: ReadonlySet<string> = new Set(["by", "of", "because", "while"]);

export function ruleFlags(rules: readonly string[]): string {
  return [...new Set(rules)].map((rule) => toCommandLine(["--rule", rule])).join(" ");
}

/** Tells the user what a remembered approval is bound to and what not, one sentence each. */
export function bindingNotes({
  boundTo = [],
  notBoundTo = [],
}: {
  readonly boundTo?: readonly string[] | undefined;
  readonly notBoundTo?: readonly string[] | undefined;
}): readonly string[] {
  return [
    ...(boundTo.length > 0 ? [`You are asked again when this changes: ${boundTo.join(", ")}`] : []),
    ...notBoundTo.map((command) => `The rule is not bound to the content of what this runs: ${command}`),
  ];
}
