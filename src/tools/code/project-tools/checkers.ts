import type { ExecuteAccess } from "../../../contract/access.ts";
import { accessesFor, type ProjectTool } from "./project-tool.ts";

const typescript = "ts tsx mts cts";
const javascript = "js jsx mjs cjs";
const eslint = ["eslint.config.*", ".eslintrc", ".eslintrc.*", 'package.json "eslintConfig"'];

/** Of several, the first: what knows the types comes before what judges the style. */
export const checkers: readonly ProjectTool[] = [
  { command: "cargo check --quiet --message-format short", files: "rs", signs: ["Cargo.toml"] },
  { command: "go vet ./...", files: "go", signs: ["go.mod"] },
  { command: "vue-tsc --noEmit --pretty false", files: "vue", signs: ["tsconfig.json"] },
  { command: "svelte-check --output machine", files: "svelte", signs: ["svelte.config.*"] },
  { command: "tsc --noEmit --pretty false", files: typescript, signs: ["tsconfig.json"] },
  {
    command: "tsc --noEmit --pretty false",
    files: javascript,
    signs: ['tsconfig.json "allowJs"', 'tsconfig.json "checkJs"'],
  },
  { command: "deno check {path}", files: typescript, signs: ["deno.json", "deno.jsonc"] },
  {
    command: "mypy --no-error-summary {path}",
    files: "py pyi",
    signs: ["mypy.ini", ".mypy.ini", "pyproject.toml [tool.mypy", "setup.cfg [mypy"],
  },
  {
    command: "pyright {path}",
    files: "py pyi",
    signs: ["pyrightconfig.json", "pyproject.toml [tool.pyright]"],
  },
  {
    command: "ruff check --no-fix --output-format concise {path}",
    files: "py pyi",
    signs: ["ruff.toml", ".ruff.toml", "pyproject.toml [tool.ruff"],
  },
  { command: "flake8 {path}", files: "py", signs: [".flake8", "setup.cfg [flake8]", "tox.ini [flake8]"] },
  {
    command: "biome lint {path}",
    files: `${typescript} ${javascript} json jsonc css`,
    signs: ["biome.json", "biome.jsonc"],
  },
  { command: "eslint {path}", files: `${typescript} ${javascript} vue svelte`, signs: eslint },
  { command: "mvn --quiet --offline --batch-mode compile", files: "java", signs: ["pom.xml"] },
  {
    command: "dotnet build --no-restore --nologo --verbosity quiet",
    files: "cs fs vb",
    signs: ["*.csproj", "*.fsproj", "*.sln"],
  },
  { command: "swift build --quiet", files: "swift", signs: ["Package.swift"] },
  { command: "mix compile --no-deps-check", files: "ex exs", signs: ["mix.exs"] },
  { command: "rebar3 compile", files: "erl hrl", signs: ["rebar.config"] },
  { command: "gleam check", files: "gleam", signs: ["gleam.toml"] },
  { command: "dune build @check", files: "ml mli", signs: ["dune-project"] },
  { command: "cabal build --verbose=1 --offline", files: "hs", signs: ["cabal.project", "*.cabal"] },
  { command: "dart analyze", files: "dart", signs: ["pubspec.yaml"] },
  { command: "elm make --output=/dev/null {path}", files: "elm", signs: ["elm.json"] },
  {
    command: "phpstan analyse --no-progress --error-format=raw {path}",
    files: "php",
    signs: ["phpstan.neon*", "phpstan.dist.neon"],
  },
  { command: "psalm --no-progress --output-format=text", files: "php", signs: ["psalm.xml*"] },
  { command: "php -l {path}", files: "php" },
  {
    command: "rubocop --format emacs {path}",
    files: "rb rake gemspec Rakefile Gemfile",
    signs: [".rubocop.yml"],
  },
  { command: "ruby -c {path}", files: "rb rake gemspec Rakefile Gemfile" },
  { command: "luacheck --no-color {path}", files: "lua", signs: [".luacheckrc"] },
  { command: "selene --display-style quiet {path}", files: "lua luau", signs: ["selene.toml"] },
  { command: "shellcheck --format gcc {path}", files: "sh bash", signs: [".shellcheckrc"] },
  { command: "bash -n {path}", files: "sh bash" },
  { command: "zig ast-check {path}", files: "zig" },
  { command: "nim check {path}", files: "nim" },
  { command: "stylelint {path}", files: "css scss less", signs: [".stylelintrc*", "stylelint.config.*"] },
  { command: "yamllint --format parsable {path}", files: "yaml yml", signs: [".yamllint*"] },
  { command: "sqlfluff lint {path}", files: "sql", signs: [".sqlfluff"] },
];

/** What `changeChecked` may run for a file. */
export function checkerAccesses(path: string): readonly ExecuteAccess[] {
  return accessesFor(checkers, path);
}
