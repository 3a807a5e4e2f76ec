export interface CodeLanguage {
  readonly name: string;
  readonly grammar: string;
  readonly aliases: readonly string[];
  /** Extensions without the dot. Those shared with other languages are in `language-of.ts`. */
  readonly extensions: readonly string[];
  readonly files: readonly string[];
  readonly interpreters: readonly string[];
}

/** Each line: a name; the grammar, if spelled differently; `.extension`, `=file`, `!interpreter` or aliases. */
const table = `
ada; .adb .ads .ada
angular; .component.html
arduino; .ino .pde
asm; .asm .s .nasm assembly assembler
astro; .astro
bash; .sh .bash .zsh .ksh .bats .ebuild .eclass =.bashrc =.bash_profile =.bash_aliases =.bash_logout =.profile =.zshrc =.zshenv =.zprofile =.kshrc =.envrc =PKGBUILD =APKBUILD !sh !bash !dash !zsh !ksh !ash !bats !nix-shell shell shellscript sh zsh
bibtex; .bib
c; .c .i
c-sharp; c_sharp; .cs .csx !dotnet-script c# csharp cs
clojure; .clj .cljs .cljc .edn .bb !clojure !bb clojurescript clj
cmake; .cmake =CMakeLists.txt
common-lisp; commonlisp; .lisp .lsp .asd !sbcl !clisp !ecl commonlisp lisp
cpp; .cpp .cc .cxx .c++ .C .hpp .hh .hxx .h++ .H .ipp .inl .tpp .txx .ixx .cppm .ccm c++ cplusplus cxx
css; .css .pcss .postcss
csv; .csv
cuda; .cu .cuh
d; .di !rdmd !dub dlang
dart; .dart !dart
desktop-entry; desktop; .desktop
diff; .diff .patch patch
dockerfile; .dockerfile =Dockerfile =Containerfile docker
editorconfig; =.editorconfig
elixir; .ex .exs !elixir !iex
elm; .elm
emacs-lisp; elisp; .el =.emacs !emacs elisp
embedded-template; embedded_template; .erb .ejs .eta erb ejs
erlang; .erl .hrl .escript =rebar.config =rebar.lock !escript
fortran; .f .for .ftn .f77 .f90 .f95 .f03 .f08 .f18
gdscript; .gd godot
gdshader; .gdshader .gdshaderinc
git-config; git_config; .gitconfig =.gitconfig =.gitmodules gitconfig
gitattributes; =.gitattributes
gitignore; .gitignore =.gitignore =.dockerignore =.npmignore =.eslintignore =.prettierignore =.ignore =.rgignore =.helmignore =.vscodeignore
gleam; .gleam
glsl; .glsl .vert .frag .geom .comp .tesc .tese .rgen .rchit .rmiss
go; .go !gorun golang
godot-resource; godot_resource; .tscn .tres =project.godot
graphql; .graphql .gql .graphqls
groovy; .groovy .gradle .gvy .gy .gsh =Jenkinsfile !groovy gradle
haskell; .hs .hsc .hs-boot !runhaskell !runghc !stack hs
hcl; .hcl .nomad
html; .html .htm .xhtml
ini; .ini .dosini =.npmrc =.pylintrc =.flake8 =.coveragerc =setup.cfg
java; .java .jav
javascript; .js .mjs .cjs .jsx .es6 =Jakefile !node !nodejs !bun !zx !gjs js jsx node ecmascript
json; .json .jsonc .geojson .webmanifest .ipynb .har .jsonld .topojson .code-workspace =.babelrc =.eslintrc =.jshintrc =.swcrc =.watchmanconfig =composer.lock =Pipfile.lock =flake.lock =deno.lock jsonc
julia; .jl !julia
just; .just =justfile =Justfile =.justfile !just
kdl; .kdl
kotlin; .kt .kts .ktm !kotlin !kscript kt
latex; .tex .sty .ltx .dtx tex
liquid; .liquid
lua; .lua .rockspec .luau =.luacheckrc !lua !luajit
make; .mk .mak .make =Makefile =makefile =GNUmakefile =Makefile.am =Makefile.in =Kbuild !make makefile
markdown; .md .markdown .mdown .mkd .mkdn .mdx md
matlab; !octave octave
nginx; .nginx .nginxconf =nginx.conf
nim; .nim .nims .nimble !nim
nix; .nix
objective-c; objc; .mm objc objectivec obj-c
ocaml; .ml .eliom !ocaml ml
ocaml-interface; ocaml_interface; .mli .eliomi mli
perl; .pm .psgi .plx .al .perl =cpanfile !perl pl
php; .php .phtml .php3 .php4 .php5 .php7 .php8 .phps !php
powershell; .ps1 .psm1 .psd1 !pwsh !powershell ps1 pwsh
prisma; .prisma
proto; .proto protobuf protocol-buffers
python; .py .pyi .pyw .py3 .wsgi .gyp .gypi =SConstruct =SConscript =wscript !python !python2 !python3 !pypy !pypy3 !uv py python3
qml; qmljs; .qml .qbs qmljs
r; .r .R =.Rprofile !Rscript !r rlang
racket; .rkt .rktl .rktd !racket
razor; .razor .cshtml
requirements; =requirements.txt =requirements-dev.txt =dev-requirements.txt =constraints.txt
rescript; .resi .res
ruby; .rb .rake .gemspec .ru .rbw .rbi .podspec .thor .jbuilder =Gemfile =Rakefile =Podfile =Fastfile =Vagrantfile =Guardfile =Brewfile =Capfile =Dangerfile =Appraisals =.irbrc =.pryrc =.simplecov !ruby !jruby !rbx rb
rust; .rs !rust-script rs
scala; .scala .sc .sbt !scala !scala-cli !amm
scheme; .ss .sld .sls .sps !guile !scheme !chibi-scheme
sln; .sln
solidity; .sol
sql; .sql .ddl .dml .pgsql .psql .mysql postgresql mysql sqlite plsql
ssh-config; ssh_config; =ssh_config =sshd_config
svelte; .svelte
swift; .swift !swift
templ; .templ
terraform; .tf .tfvars .tofu tf opentofu
toml; .toml =Cargo.lock =poetry.lock =uv.lock =pdm.lock =Pipfile =Gopkg.lock
tree-sitter-query; query; query
tsv; .tsv
tsx; .tsx
typescript; .mts .cts !ts-node !tsx !deno ts
typst; .typ
vim; .vim .vimrc .exrc =.vimrc =_vimrc =.gvimrc =.exrc =vimrc vimscript viml
vue; .vue
xml; .xml .xsd .xsl .xslt .svg .plist .csproj .fsproj .vbproj .vcxproj .targets .nuspec .resx .xaml .axaml .rss .atom .wsdl .xmi .xlf .xliff .qrc .kml .gpx .storyboard .xib .iml .pom .dita .rdf .owl .glade .jsproj .wixproj .shproj svg plist
yaml; .yaml .yml .sublime-syntax =.clang-format =.clang-tidy =.clangd =.gemrc =.yamllint =.yamlfmt =pubspec.lock yml
zig; .zig .zon
`;

export const languages: readonly CodeLanguage[] = table.trim().split("\n").map(readLine);

export const languageNames: readonly string[] = languages.map(({ name }) => name);

export const usedGrammars: readonly string[] = [...new Set(languages.map(({ grammar }) => grammar))];

function readLine(line: string): CodeLanguage {
  const parts = line.split("; ");
  const name = parts[0]!;
  const grammar = parts.length === 3 ? parts[1]! : name;
  const words = parts.at(-1)!.split(" ");
  const marked = (mark: string) =>
    words.filter((word) => word.startsWith(mark)).map((word) => word.slice(mark.length));
  return {
    name,
    grammar,
    aliases: words.filter((word) => !/^[.=!]/.test(word)),
    extensions: marked("."),
    files: marked("="),
    interpreters: marked("!"),
  };
}
