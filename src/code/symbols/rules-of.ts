import { bash } from "./rules/bash.ts";
import { c } from "./rules/c.ts";
import { cSharp } from "./rules/c-sharp.ts";
import { cpp } from "./rules/cpp.ts";
import { css } from "./rules/css.ts";
import { dart } from "./rules/dart.ts";
import { elixir } from "./rules/elixir.ts";
import { go } from "./rules/go.ts";
import { haskell } from "./rules/haskell.ts";
import { html, vue } from "./rules/html.ts";
import { java } from "./rules/java.ts";
import { javascript } from "./rules/javascript.ts";
import { json } from "./rules/json.ts";
import { kotlin } from "./rules/kotlin.ts";
import { lua } from "./rules/lua.ts";
import { markdown } from "./rules/markdown.ts";
import { ocaml, ocamlInterface } from "./rules/ocaml.ts";
import { php } from "./rules/php.ts";
import { python } from "./rules/python.ts";
import { ruby } from "./rules/ruby.ts";
import { rust } from "./rules/rust.ts";
import { scala } from "./rules/scala.ts";
import { sql } from "./rules/sql.ts";
import { swift } from "./rules/swift.ts";
import { toml } from "./rules/toml.ts";
import { typescript } from "./rules/typescript.ts";
import { yaml } from "./rules/yaml.ts";
import { zig } from "./rules/zig.ts";
import type { SymbolRules } from "./symbol-rules.ts";

/** By the names of languages.ts. */
const rules: Readonly<Record<string, SymbolRules>> = {
  c,
  "c-sharp": cSharp,
  cpp,
  go,
  java,
  javascript,
  python,
  rust,
  tsx: typescript,
  typescript,
  bash,
  elixir,
  haskell,
  kotlin,
  lua,
  php,
  ruby,
  scala,
  swift,
  zig,
  ocaml,
  "ocaml-interface": ocamlInterface,
  css,
  dart,
  json,
  markdown,
  sql,
  toml,
  yaml,
  html,
  svelte: html,
  vue,
};

export function rulesOf(language: string): SymbolRules | undefined {
  return Object.hasOwn(rules, language) ? rules[language] : undefined;
}
