import type { ExecuteAccess } from "../../../contract/access.ts";
import { accessesFor, type ProjectTool } from "./project-tool.ts";

const script = "js jsx mjs cjs ts tsx mts cts";
const forWeb = `${script} vue svelte astro css scss less html json jsonc json5 yaml yml md mdx graphql gql`;
const cFamily = "c h cc cpp cxx c++ hh hpp hxx ino cu m mm proto";
const gradle = (name: string) =>
  ["build.gradle", "build.gradle.kts", "pom.xml"].map((file) => `${file} ${name}`);

/** Every one is a filter: nothing is written but what it prints. Of several, the one whose sign is nearest. */
export const formatters: readonly ProjectTool[] = [
  { command: "rustfmt --emit stdout", files: "rs", adds: "rust-edition" },
  { command: "gofumpt", files: "go", signs: [".golangci.* gofumpt"] },
  { command: "goimports", files: "go", signs: [".golangci.* goimports"] },
  { command: "gofmt", files: "go" },
  {
    command: "biome format --stdin-file-path={path}",
    files: `${script} css json jsonc graphql gql html vue svelte astro`,
    signs: ["biome.json", "biome.jsonc"],
  },
  {
    command: "prettier --stdin-filepath {path}",
    files: forWeb,
    signs: [".prettierrc", ".prettierrc.*", "prettier.config.*", 'package.json "prettier"'],
  },
  {
    command: "dprint fmt --stdin {path}",
    files: `${forWeb} toml rs py`,
    signs: ["dprint.json", "dprint.jsonc", ".dprint.json", ".dprint.jsonc"],
  },
  {
    command: "deno fmt --ext {extension} -",
    files: "js jsx mjs ts tsx mts json jsonc md css scss less html yaml yml",
    signs: ["deno.json", "deno.jsonc"],
  },
  {
    command: "ruff format --stdin-filename {path} -",
    files: "py pyi",
    signs: ["ruff.toml", ".ruff.toml", "pyproject.toml [tool.ruff"],
  },
  {
    command: "black --quiet --stdin-filename {path} -",
    files: "py pyi",
    signs: ["pyproject.toml [tool.black]", ".pre-commit-config.yaml psf/black"],
  },
  { command: "yapf", files: "py", signs: [".style.yapf", "setup.cfg [yapf]", "pyproject.toml [tool.yapf]"] },
  { command: "autopep8 -", files: "py", signs: ["pyproject.toml [tool.autopep8]", "setup.cfg [autopep8]"] },
  {
    command: "clang-format --assume-filename={path}",
    files: `${cFamily} cs java`,
    signs: [".clang-format", "_clang-format"],
  },
  {
    command: "google-java-format -",
    files: "java",
    signs: gradle("oogle-java-format").concat(gradle("oogleJavaFormat")),
  },
  { command: "ktlint --format --stdin --log-level=none", files: "kt kts", signs: gradle("ktlint") },
  { command: "ktfmt -", files: "kt kts", signs: gradle("ktfmt") },
  { command: "scalafmt --stdin --assume-filename {path}", files: "scala sbt sc", signs: [".scalafmt.conf"] },
  { command: "swiftformat stdin --stdinpath {path}", files: "swift", signs: [".swiftformat"] },
  { command: "swift-format format --assume-filename {path} -", files: "swift", signs: [".swift-format"] },
  {
    command: "rubocop --autocorrect --stdin {path} --stderr --format quiet",
    files: "rb rake gemspec Rakefile Gemfile",
    signs: [".rubocop.yml"],
    passes: [1],
  },
  {
    command: "standardrb --fix --stdin {path} --stderr",
    files: "rb rake",
    signs: [".standard.yml"],
    passes: [1],
  },
  {
    command: "phpcbf --stdin-path={path} -",
    files: "php",
    signs: ["phpcs.xml", "phpcs.xml.dist", ".phpcs.xml", ".phpcs.xml.dist"],
    passes: [1],
  },
  {
    command: "mix format --stdin-filename {path} -",
    files: "ex exs heex",
    signs: [".formatter.exs", "mix.exs"],
  },
  { command: "erlfmt -", files: "erl hrl", signs: ["rebar.config erlfmt"] },
  { command: "gleam format --stdin", files: "gleam" },
  { command: "elm-format --stdin", files: "elm", signs: ["elm.json"] },
  { command: "stylua --stdin-filepath {path} -", files: "lua luau", signs: ["stylua.toml", ".stylua.toml"] },
  { command: "shfmt --filename {path}", files: "sh bash bats mksh", signs: [".editorconfig"] },
  { command: "fish_indent", files: "fish" },
  { command: "zig fmt --stdin", files: "zig" },
  { command: "dart format --stdin-name {path}", files: "dart" },
  { command: "terraform fmt -", files: "tf tfvars" },
  { command: "taplo fmt --stdin-filepath {path} -", files: "toml", signs: ["taplo.toml", ".taplo.toml"] },
  { command: "nixfmt", files: "nix", signs: ["flake.nix nixfmt"] },
  { command: "alejandra --quiet -", files: "nix", signs: ["flake.nix alejandra"] },
  { command: "ocamlformat --name={path} -", files: "ml mli", signs: [".ocamlformat"] },
  { command: "fourmolu --stdin-input-file {path}", files: "hs", signs: ["fourmolu.yaml"] },
  { command: "stylish-haskell", files: "hs", signs: [".stylish-haskell.yaml"] },
  { command: "perltidy -st", files: "pl pm t", signs: [".perltidyrc"] },
  { command: "gersemi -", files: "cmake CMakeLists.txt", signs: [".gersemirc"] },
  { command: "cmake-format -", files: "cmake CMakeLists.txt", signs: [".cmake-format*"] },
  { command: "sqlfluff format --stdin-filename {path} -", files: "sql", signs: [".sqlfluff"], passes: [1] },
  {
    command: "buildifier --path={path}",
    files: "bzl bazel BUILD WORKSPACE",
    signs: ["WORKSPACE*", "MODULE.bazel"],
  },
  { command: "crystal tool format -", files: "cr" },
  { command: "cljfmt fix -", files: "clj cljs cljc edn", signs: [".cljfmt.edn", "cljfmt.edn"] },
];

/** What `formatText` may run for a file. */
export function formatterAccesses(path: string): readonly ExecuteAccess[] {
  return accessesFor(formatters, path);
}
