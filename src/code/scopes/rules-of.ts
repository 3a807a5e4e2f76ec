import { c, cpp } from "./rules/c-family.ts";
import { cSharp } from "./rules/c-sharp.ts";
import { go } from "./rules/go.ts";
import { java, kotlin } from "./rules/jvm.ts";
import { python } from "./rules/python.ts";
import { rust } from "./rules/rust.ts";
import { bash, lua, php } from "./rules/scripting.ts";
import { typescript } from "./rules/typescript.ts";
import type { ScopeRules } from "./scope-rules.ts";

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
