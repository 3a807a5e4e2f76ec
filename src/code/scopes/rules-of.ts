import { bash } from "./rules/bash.ts";
import { c } from "./rules/c.ts";
import { cSharp } from "./rules/c-sharp.ts";
import { cpp } from "./rules/cpp.ts";
import { go } from "./rules/go.ts";
import { java } from "./rules/java.ts";
import { kotlin } from "./rules/kotlin.ts";
import { lua } from "./rules/lua.ts";
import { php } from "./rules/php.ts";
import { python } from "./rules/python.ts";
import { rust } from "./rules/rust.ts";
import { typescript } from "./rules/typescript.ts";
import type { ScopeRules } from "./scope-rules.ts";

/** The languages whose scopes are known. */
const rulesByLanguage: Readonly<Record<string, ScopeRules>> = {
  bash,
  c,
  "c-sharp": cSharp,
  cpp,
  go,
  java,
  javascript: typescript,
  kotlin,
  lua,
  php,
  python,
  rust,
  tsx: typescript,
  typescript,
};

export function scopeRulesOf(language: string): ScopeRules | undefined {
  return rulesByLanguage[language];
}
