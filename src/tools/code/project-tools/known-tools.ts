import { posix } from "node:path";
import type { ExecuteAccess } from "../../../contract/access.ts";
import { toCommandLine } from "../../../lib/text/shell-quote.ts";
import { commandAccess } from "../../shell/command-access.ts";

const typescript = "ts tsx mts cts";
const javascript = "js jsx mjs cjs";
const eslint = ["eslint.config.*", ".eslintrc", ".eslintrc.*", 'package.json "eslintConfig"'];

/** Of several, the first is used: type checkers come before linters. */
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

const script = "js jsx mjs cjs ts tsx mts cts";
const forWeb = `${script} vue svelte astro css scss less html json jsonc json5 yaml yml md mdx graphql gql`;
const cFamily = "c h cc cpp cxx c++ hh hpp hxx ino cu m mm proto";
const gradle = (name: string) =>
  ["build.gradle", "build.gradle.kts", "pom.xml"].map((file) => `${file} ${name}`);

/** Each is a filter from stdin to stdout. Of several, the one whose sign is nearest is used. */
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

/** A program with which projects format or check their files. */
export interface ProjectTool {
  /**
   * Its arguments: `{path}` is the file, `{extension}` its extension. A formatter reads the text from stdin and
   * prints it formatted.
   */
  readonly command: string;
  /** Extensions, or whole file names with a capital letter. */
  readonly files: string;
  /**
   * What shows that a project uses it, in the directory of the file or above: a file name, also with `*`, optionally
   * with text that the file must contain. Without signs it is the default of its language.
   */
  readonly signs?: readonly string[];
  /** Exit codes that mean success, besides 0. */
  readonly passes?: readonly number[];
  /** An argument that depends on the project's files. */
  readonly adds?: "rust-edition";
}

export function isFor({ files }: ProjectTool, path: string): boolean {
  const name = posix.basename(path);
  const names = files.split(" ");
  return (/[A-Z]/.test(name) && names.includes(name)) || names.includes(extensionOf(name));
}

/**
 * The accesses of a call that may run one of these tools on a file. Which one is known only when it runs, with the
 * path relative to its working directory.
 */
function accessesFor(tools: readonly ProjectTool[], path: string): readonly ExecuteAccess[] {
  return tools
    .filter((tool) => isFor(tool, path))
    .map((tool) => commandAccess({ command: toCommandLine(argvFor(tool, path)) }));
}

/** The command line for a path relative to the working directory. */
export function argvFor({ command }: ProjectTool, path: string): readonly string[] {
  // A path that begins with "-" would be an option.
  const seen = path.startsWith("-") ? `./${path}` : path;
  return command
    .split(" ")
    .map((word) =>
      word.replace(/\{(path|extension)\}/, (_, name) => (name === "path" ? seen : extensionOf(path))),
    );
}

function extensionOf(path: string): string {
  return posix.extname(path).slice(1).toLowerCase();
}
