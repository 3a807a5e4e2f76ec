import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { unpackedBrowser } from "../support/console/unpack-browser.ts";
import { packageFolder, unpackPackages } from "../support/debian-packages.ts";
import { isInstalled } from "../support/shells/is-installed.ts";

interface ProgramFolders {
  /** What is added to the PATH. */
  readonly path: readonly string[];
  /** The packages that programs of Node can load. */
  readonly packages: string;
  /** What commands in a sandbox have to see for these programs. */
  readonly readable: readonly string[];
}

/** Finds programs in the packages of test/package.json, and downloads Debian's packages of those that are not installed. */
export function foldersOfPrograms(): ProgramFolders {
  const packages = join(import.meta.dirname, "../node_modules");
  const unpacked = debianPrograms.flatMap((program) => unpackedProgram(program) ?? []);
  const browser = unpackedBrowser === undefined ? [] : [dirname(unpackedBrowser)];
  return {
    path: [
      ...[".bin", "@oven/bun-linux-x64/bin", "@deno/linux-x64-glibc"].map((name) => join(packages, name)),
      ...unpacked.map((folder) => join(folder, "usr/bin")),
      ...browser,
    ],
    packages,
    readable: [packages, ...unpacked, ...browser].filter((path) => existsSync(path)),
  };
}

interface DebianProgram {
  readonly name: string;
  /** Packages of Debian 12. */
  readonly packages: readonly string[];
  readonly file: string;
  /** Variables with which it finds the files in the folder `$top`. */
  readonly variables: readonly string[];
}

const libraries = 'LD_LIBRARY_PATH="$top/usr/lib/x86_64-linux-gnu"';

const debianPrograms: readonly DebianProgram[] = [
  {
    name: "go",
    packages: ["golang-1.19-go", "golang-1.19-src"],
    file: "usr/lib/go-1.19/bin/go",
    variables: [],
  },
  {
    name: "ruby",
    packages: ["ruby3.1", "libruby3.1", "rubygems-integration", "libyaml-0-2"],
    file: "usr/bin/ruby3.1",
    variables: [libraries, 'RUBYLIB="$top/usr/lib/ruby/3.1.0:$top/usr/lib/x86_64-linux-gnu/ruby/3.1.0"'],
  },
  {
    name: "php",
    packages: ["php8.2-cli", "php8.2-common", "libsodium23", "libargon2-1", "libmagic1", "libedit2"],
    file: "usr/bin/php8.2",
    variables: [libraries],
  },
];

/** Returns the folder with the packages of a program; undefined when it is installed or cannot be downloaded. */
function unpackedProgram({ name, packages, file, variables }: DebianProgram): string | undefined {
  if (process.platform !== "linux" || isInstalled(name)) return undefined;
  const folder = packageFolder(name);
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  // Another run of the tests may download them at the same time.
  const unfinished = mkdtempSync(`${folder}-`);
  try {
    if (!unpackPackages(unfinished, packages, file)) return undefined;
    const starter = join(unfinished, "usr/bin", name);
    mkdirSync(dirname(starter), { recursive: true });
    rmSync(starter, { force: true });
    const lines = [
      "#!/bin/sh",
      'top=$(dirname "$0")/../..',
      `${variables.join(" ")} exec "$top/${file}" "$@"`,
    ];
    writeFileSync(starter, lines.map((line) => `${line}\n`).join(""), { mode: 0o755 });
    try {
      renameSync(unfinished, folder);
    } catch (error) {
      if (!existsSync(folder)) throw error;
    }
    return folder;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
