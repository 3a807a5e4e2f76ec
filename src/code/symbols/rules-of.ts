import { javascript } from "./rules/javascript.ts";
import { python } from "./rules/python.ts";
import { rust } from "./rules/rust.ts";
import { typescript } from "./rules/typescript.ts";
import type { SymbolRules } from "./symbol-rules.ts";

/** By the names of languages.ts. */
const rules: Readonly<Record<string, SymbolRules>> = {
  javascript,
  python,
  rust,
  tsx: typescript,
  typescript,
};

export function rulesOf(language: string): SymbolRules | undefined {
  return Object.hasOwn(rules, language) ? rules[language] : undefined;
}
