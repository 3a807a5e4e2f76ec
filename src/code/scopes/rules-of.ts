import { typescript } from "./rules/typescript.ts";
import type { ScopeRules } from "./scope-rules.ts";

/** The languages whose scopes are known. */
const rulesByLanguage: Readonly<Record<string, ScopeRules>> = {
  javascript: typescript,
  tsx: typescript,
  typescript,
};

export function scopeRulesOf(language: string): ScopeRules | undefined {
  return rulesByLanguage[language];
}
