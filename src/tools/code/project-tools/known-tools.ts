import { posix } from "node:path";
import type { ExecuteAccess } from "../../../contract/access.ts";
import { toCommandLine } from "../../../lib/text/shell-quote.ts";
import { commandAccess } from "../../shell/command-access.ts";

const typescript = "ts tsx mts cts";
const javascript = "js jsx mjs cjs";
const web = `${javascript} ${typescript} vue svelte astro css scss less html json jsonc json5 yaml yml md mdx graphql gql`;
const cFamily = "c h cc cpp cxx c++ hh hpp hxx ino cu m mm proto";
const gradle = (name: string) => `build.gradle ${name}, build.gradle.kts ${name}, pom.xml ${name}`;

/** Parses a table with one tool per line: files | command | signs | exit code besides 0 that means success. */
function table(lines: string): readonly ProjectTool[] {
  const rows = lines.trim().split("\n");
  return rows.map((row) => {
    const [files = "", command = "", signs, passes] = row.split(" | ");
    return {
      files,
      command,
      signs: signs?.split(", "),
      passes: passes === undefined ? undefined : Number(passes),
    };
  });
}

/** The first suitable checker is used, so type checkers come before linters. */
export const checkers: readonly ProjectTool[] = table(`
rs | cargo check --quiet --message-format short | Cargo.toml
go | go vet ./... | go.mod
vue | vue-tsc --noEmit --pretty false | tsconfig.json
svelte | svelte-check --output machine | svelte.config.*
${typescript} | tsc --noEmit --pretty false | tsconfig.json
${javascript} | tsc --noEmit --pretty false | tsconfig.json "allowJs", tsconfig.json "checkJs"
${typescript} | deno check {path} | deno.json, deno.jsonc
py pyi | mypy --no-error-summary {path} | mypy.ini, .mypy.ini, pyproject.toml [tool.mypy, setup.cfg [mypy
py pyi | pyright {path} | pyrightconfig.json, pyproject.toml [tool.pyright]
py pyi | ruff check --no-fix --output-format concise {path} | ruff.toml, .ruff.toml, pyproject.toml [tool.ruff
py | flake8 {path} | .flake8, setup.cfg [flake8], tox.ini [flake8]
${typescript} ${javascript} json jsonc css | biome lint {path} | biome.json, biome.jsonc
${typescript} ${javascript} vue svelte | eslint {path} | eslint.config.*, .eslintrc, .eslintrc.*, package.json "eslintConfig"
java | mvn --quiet --offline --batch-mode compile | pom.xml
cs fs vb | dotnet build --no-restore --nologo --verbosity quiet | *.csproj, *.fsproj, *.sln
swift | swift build --quiet | Package.swift
ex exs | mix compile --no-deps-check | mix.exs
erl hrl | rebar3 compile | rebar.config
gleam | gleam check | gleam.toml
ml mli | dune build @check | dune-project
hs | cabal build --verbose=1 --offline | cabal.project, *.cabal
dart | dart analyze | pubspec.yaml
elm | elm make --output=/dev/null {path} | elm.json
php | phpstan analyse --no-progress --error-format=raw {path} | phpstan.neon*, phpstan.dist.neon
php | psalm --no-progress --output-format=text | psalm.xml*
php | php -l {path}
rb rake gemspec Rakefile Gemfile | rubocop --format emacs {path} | .rubocop.yml
rb rake gemspec Rakefile Gemfile | ruby -c {path}
lua | luacheck --no-color {path} | .luacheckrc
lua luau | selene --display-style quiet {path} | selene.toml
sh bash | shellcheck --format gcc {path} | .shellcheckrc
sh bash | bash -n {path}
zig | zig ast-check {path}
nim | nim check {path}
css scss less | stylelint {path} | .stylelintrc*, stylelint.config.*
yaml yml | yamllint --format parsable {path} | .yamllint*
sql | sqlfluff lint {path} | .sqlfluff
`);

/** Each formatter is a filter from stdin to stdout. The one with the nearest sign is used. */
export const formatters: readonly ProjectTool[] = table(`
rs | rustfmt --emit stdout
go | gofumpt | .golangci.* gofumpt
go | goimports | .golangci.* goimports
go | gofmt
${javascript} ${typescript} css json jsonc graphql gql html vue svelte astro | biome format --stdin-file-path={path} | biome.json, biome.jsonc
${web} | prettier --stdin-filepath {path} | .prettierrc, .prettierrc.*, prettier.config.*, package.json "prettier"
${web} toml rs py | dprint fmt --stdin {path} | dprint.json, dprint.jsonc, .dprint.json, .dprint.jsonc
js jsx mjs ts tsx mts json jsonc md css scss less html yaml yml | deno fmt --ext {extension} - | deno.json, deno.jsonc
py pyi | ruff format --stdin-filename {path} - | ruff.toml, .ruff.toml, pyproject.toml [tool.ruff
py pyi | black --quiet --stdin-filename {path} - | pyproject.toml [tool.black], .pre-commit-config.yaml psf/black
py | yapf | .style.yapf, setup.cfg [yapf], pyproject.toml [tool.yapf]
py | autopep8 - | pyproject.toml [tool.autopep8], setup.cfg [autopep8]
${cFamily} cs java | clang-format --assume-filename={path} | .clang-format, _clang-format
java | google-java-format - | ${gradle("oogle-java-format")}, ${gradle("oogleJavaFormat")}
kt kts | ktlint --format --stdin --log-level=none | ${gradle("ktlint")}
kt kts | ktfmt - | ${gradle("ktfmt")}
scala sbt sc | scalafmt --stdin --assume-filename {path} | .scalafmt.conf
swift | swiftformat stdin --stdinpath {path} | .swiftformat
swift | swift-format format --assume-filename {path} - | .swift-format
rb rake gemspec Rakefile Gemfile | rubocop --autocorrect --stdin {path} --stderr --format quiet | .rubocop.yml | 1
rb rake | standardrb --fix --stdin {path} --stderr | .standard.yml | 1
php | phpcbf --stdin-path={path} - | phpcs.xml, phpcs.xml.dist, .phpcs.xml, .phpcs.xml.dist | 1
ex exs heex | mix format --stdin-filename {path} - | .formatter.exs, mix.exs
erl hrl | erlfmt - | rebar.config erlfmt
gleam | gleam format --stdin
elm | elm-format --stdin | elm.json
lua luau | stylua --stdin-filepath {path} - | stylua.toml, .stylua.toml
sh bash bats mksh | shfmt --filename {path} | .editorconfig
fish | fish_indent
zig | zig fmt --stdin
dart | dart format --stdin-name {path}
tf tfvars | terraform fmt -
toml | taplo fmt --stdin-filepath {path} - | taplo.toml, .taplo.toml
nix | nixfmt | flake.nix nixfmt
nix | alejandra --quiet - | flake.nix alejandra
ml mli | ocamlformat --name={path} - | .ocamlformat
hs | fourmolu --stdin-input-file {path} | fourmolu.yaml
hs | stylish-haskell | .stylish-haskell.yaml
pl pm t | perltidy -st | .perltidyrc
cmake CMakeLists.txt | gersemi - | .gersemirc
cmake CMakeLists.txt | cmake-format - | .cmake-format*
sql | sqlfluff format --stdin-filename {path} - | .sqlfluff | 1
bzl bazel BUILD WORKSPACE | buildifier --path={path} | WORKSPACE*, MODULE.bazel
cr | crystal tool format -
clj cljs cljc edn | cljfmt fix - | .cljfmt.edn, cljfmt.edn
`);

/** Returns the accesses of every command that `changeChecked` may run for a file. */
export function checkerAccesses(path: string): readonly ExecuteAccess[] {
  return accessesFor(checkers, path);
}

/** Returns the accesses of every command that `formatText` may run for a file. */
export function formatterAccesses(path: string): readonly ExecuteAccess[] {
  return accessesFor(formatters, path);
}

/** A program that formats or checks the files of a project. */
export interface ProjectTool {
  /** The program and its arguments. `{path}` is the file, `{extension}` its extension. */
  readonly command: string;
  /** Extensions, or whole file names that have a capital letter, separated by spaces. */
  readonly files: string;
  /**
   * Signs that a project uses this tool, in the directory of the file or above: a file name or pattern, optionally with
   * text that the file must contain. A tool without signs is the default of its language.
   */
  readonly signs?: readonly string[] | undefined;
  /** An exit code besides 0 that means success. */
  readonly passes?: number | undefined;
}

export function isFor({ files }: ProjectTool, path: string): boolean {
  const name = posix.basename(path);
  const names = files.split(" ");
  return (/[A-Z]/.test(name) && names.includes(name)) || names.includes(extensionOf(name));
}

/** Returns the accesses of a call that may run one of these tools. `narrow` leaves out those that the project does not use. */
function accessesFor(tools: readonly ProjectTool[], path: string): readonly ExecuteAccess[] {
  return tools
    .filter((tool) => isFor(tool, path))
    .map((tool) => commandAccess({ command: commandOf(tool, path) }));
}

export function commandOf(tool: ProjectTool, path: string): string {
  return toCommandLine(argvFor(tool, path));
}

/** Returns the program and arguments for a path relative to the working directory. */
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
