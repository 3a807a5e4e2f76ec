import { type Language, Query } from "web-tree-sitter";
import { rulesOf } from "./rules-of.ts";
import type { SymbolRules } from "./symbol-rules.ts";

export interface CompiledRules {
  readonly rules: SymbolRules;
  readonly query: Query;
}

const compiled = new WeakMap<Language, CompiledRules>();

/** Compiled once for each grammar; undefined where there are no rules. */
export function compiledRules(language: string, grammar: Language): CompiledRules | undefined {
  const known = compiled.get(grammar);
  if (known) return known;
  const rules = rulesOf(language);
  if (!rules) return undefined;
  const made = { rules, query: new Query(grammar, rules.query) };
  compiled.set(grammar, made);
  return made;
}
