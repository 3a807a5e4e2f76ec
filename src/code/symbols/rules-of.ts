import { ada } from "./rules/ada.ts";
import { bash } from "./rules/bash.ts";
import { bibtex } from "./rules/bibtex.ts";
import { c } from "./rules/c.ts";
import { cSharp } from "./rules/c-sharp.ts";
import { cmake } from "./rules/cmake.ts";
import { cpp } from "./rules/cpp.ts";
import { css } from "./rules/css.ts";
import { d } from "./rules/d.ts";
import { dart } from "./rules/dart.ts";
import { dockerfile } from "./rules/dockerfile.ts";
import { elixir } from "./rules/elixir.ts";
import { elm } from "./rules/elm.ts";
import { erlang } from "./rules/erlang.ts";
import { fortran } from "./rules/fortran.ts";
import { gdscript } from "./rules/gdscript.ts";
import { gleam } from "./rules/gleam.ts";
import { go } from "./rules/go.ts";
import { graphql } from "./rules/graphql.ts";
import { groovy } from "./rules/groovy.ts";
import { haskell } from "./rules/haskell.ts";
import { html, vue } from "./rules/html.ts";
import { ini } from "./rules/ini.ts";
import { java } from "./rules/java.ts";
import { javascript } from "./rules/javascript.ts";
import { json } from "./rules/json.ts";
import { julia } from "./rules/julia.ts";
import { just } from "./rules/just.ts";
import { kotlin } from "./rules/kotlin.ts";
import { latex } from "./rules/latex.ts";
import { clojure, commonLisp, emacsLisp, racket, scheme } from "./rules/lisp.ts";
import { lua } from "./rules/lua.ts";
import { make } from "./rules/make.ts";
import { markdown } from "./rules/markdown.ts";
import { matlab } from "./rules/matlab.ts";
import { nim } from "./rules/nim.ts";
import { nix } from "./rules/nix.ts";
import { objectiveC } from "./rules/objective-c.ts";
import { ocaml, ocamlInterface } from "./rules/ocaml.ts";
import { perl } from "./rules/perl.ts";
import { php } from "./rules/php.ts";
import { powershell } from "./rules/powershell.ts";
import { prisma } from "./rules/prisma.ts";
import { proto } from "./rules/proto.ts";
import { python } from "./rules/python.ts";
import { qml } from "./rules/qml.ts";
import { r } from "./rules/r.ts";
import { rescript } from "./rules/rescript.ts";
import { ruby } from "./rules/ruby.ts";
import { rust } from "./rules/rust.ts";
import { scala } from "./rules/scala.ts";
import { solidity } from "./rules/solidity.ts";
import { sql } from "./rules/sql.ts";
import { swift } from "./rules/swift.ts";
import { terraform } from "./rules/terraform.ts";
import { toml } from "./rules/toml.ts";
import { typescript } from "./rules/typescript.ts";
import { typst } from "./rules/typst.ts";
import { vim } from "./rules/vim.ts";
import { xml } from "./rules/xml.ts";
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
  xml,
  yaml,
  html,
  svelte: html,
  vue,
  erlang,
  julia,
  r,
  perl,
  graphql,
  proto,
  terraform,
  hcl: terraform,
  make,
  cmake,
  ini,
  solidity,
  gdscript,
  nim,
  gleam,
  elm,
  nix,
  vim,
  prisma,
  just,
  fortran,
  dockerfile,
  ada,
  d,
  powershell,
  "objective-c": objectiveC,
  groovy,
  latex,
  qml,
  rescript,
  matlab,
  typst,
  bibtex,
  glsl: c,
  cuda: cpp,
  arduino: cpp,
  astro: html,
  clojure,
  "common-lisp": commonLisp,
  "emacs-lisp": emacsLisp,
  racket,
  scheme,
};

export function rulesOf(language: string): SymbolRules | undefined {
  return Object.hasOwn(rules, language) ? rules[language] : undefined;
}
