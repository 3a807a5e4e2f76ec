import { existsSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { realPathOf } from "../../sandbox/real-paths.ts";
import { namesIfReadable } from "../../system/directories.ts";
import { toolChainHomes } from "../../system/environment-variables.ts";
import { liesInside } from "../../system/workspace-path.ts";

/**
 * Returns the parts of the home directory that commands may read: tool chains, installed packages, and git settings.
 * Caches that tools must write (npm, pip, yarn, uv …) are not included: they begin empty in the private home.
 */
export function toolChainsIn(
  home: string,
  variables: Readonly<Record<string, string | undefined>>,
  running: string = process.execPath,
): readonly string[] {
  const wanted = [
    ...pathsInHome.map((path) => join(home, path)),
    ...[...toolChainHomes, ...certificates].map((name) => variables[name] ?? ""),
    ...(variables.PATH ?? "").split(delimiter).map(prefixOf),
    prefixOf(dirname(running)),
  ];
  const found = wanted.filter((path) => isAbsolute(path) && isBelow(path, home) && existsSync(path));
  return [...new Set(found)]
    .filter((path) => !found.some((other) => isBelow(path, other)))
    .flatMap(withoutStore)
    .sort();
}

/** Omits the store of pnpm, which each `pnpm install` writes. It begins empty in the private home, as other caches do. */
function withoutStore(path: string): readonly string[] {
  if (basename(path) !== "pnpm") return [path];
  return namesIfReadable(path)
    .filter((name) => name !== "store")
    .map((name) => join(path, name));
}

/** Returns the directory above a `bin`, if programs may need the directories next to it, such as `lib`. */
function prefixOf(directory: string): string {
  if (!/^(?:s?bin|shims|condabin)$/.test(basename(directory))) return directory;
  const prefix = dirname(realPathOf(directory) ?? directory);
  // ~/.local, ~/.config and ~/.cache also contain data of applications.
  if (/^\.(?:local|config|cache)$/.test(basename(prefix))) return directory;
  return nextToPrograms.some((name) => existsSync(join(prefix, name))) ? prefix : directory;
}

const nextToPrograms = ["lib", "libexec", "share", "versions", "conda-meta", "pyvenv.cfg"];

function isBelow(path: string, directory: string): boolean {
  return path !== directory && liesInside(path, directory);
}

/** Variables that name certificates of authorities, which are public. */
const certificates = words(`
  SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO PIP_CERT
  CARGO_HTTP_CAINFO AWS_CA_BUNDLE
`);

const pathsInHome = [
  ...words(`
    .gitconfig .config/git
    .cargo .rustup .elan .juliaup .swiftly .ghcup .cabal/bin .opam .mix .kerl
    .pyenv .rye .pixi .poetry .conda miniconda3 anaconda3 miniforge3 mambaforge
    .nvm .fnm .nodenv .volta .bun/bin .deno/bin .npm-global .npm-packages .yarn/bin
    .asdf .proto .goenv .gvm go .rbenv .rvm .gem .phpenv .composer/vendor
    .sdkman .jenv .jabba .m2/repository .m2/wrapper .dotnet .nuget/packages .pub-cache
    Android/Sdk flutter .foundry .wasmtime .wasmer .krew/bin .linuxbrew .nix-profile bin
    .tool-versions .node-version .nvmrc .python-version .ruby-version .java-version
    .local/bin .local/lib .local/pipx .config/mise .config/nvm
  `),
  ...words("pipx uv mise rtx asdf fnm virtualenvs pnpm gem hatch pdm swiftly").map(
    (name) => `.local/share/${name}`,
  ),
  ...words("ms-playwright puppeteer Cypress selenium electron node bazelisk pypoetry/virtualenvs").map(
    (name) => `.cache/${name}`,
  ),
];

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
