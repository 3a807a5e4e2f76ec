import { cFamilyRules } from "./rules/c-family.ts";
import { compiledRules } from "./rules/compiled.ts";
import { dataRules } from "./rules/data.ts";
import { functionalRules } from "./rules/functional.ts";
import { jvmAndDotnetRules } from "./rules/jvm-and-dotnet.ts";
import { lispRules } from "./rules/lisp.ts";
import { markupRules } from "./rules/markup.ts";
import { scriptingRules } from "./rules/scripting.ts";
import { webRules } from "./rules/web.ts";
import type { SymbolRules, SymbolRulesTable } from "./symbol-rules.ts";

const rules: SymbolRulesTable = {
  ...cFamilyRules,
  ...compiledRules,
  ...jvmAndDotnetRules,
  ...scriptingRules,
  ...functionalRules,
  ...lispRules,
  ...webRules,
  ...markupRules,
  ...dataRules,
};

const sharedRules: Readonly<Record<string, string>> = {
  arduino: "cpp",
  astro: "html",
  cuda: "cpp",
  glsl: "c",
  hcl: "terraform",
  svelte: "html",
  tsx: "typescript",
};

export function rulesOf(language: string): SymbolRules | undefined {
  const name = Object.hasOwn(sharedRules, language) ? sharedRules[language]! : language;
  return Object.hasOwn(rules, name) ? rules[name] : undefined;
}
