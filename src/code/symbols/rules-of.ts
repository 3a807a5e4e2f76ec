import { python } from "./rules/python.ts";
import { rust } from "./rules/rust.ts";
import type { SymbolRules } from "./symbol-rules.ts";

/** By the names of languages.ts. */
const rules: Readonly<Record<string, SymbolRules>> = {
  python,
  rust,
};

export function rulesOf(language: string): SymbolRules | undefined {
  return Object.hasOwn(rules, language) ? rules[language] : undefined;
}
