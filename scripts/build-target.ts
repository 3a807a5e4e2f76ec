import { cpSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { BuildOptions } from "rolldown";

const root = join(import.meta.dirname, "..");
const perlModule = join(root, "src/system/perl-program.ts");

/** The programs that are sent to targets: each is one file without any other file of the package. */
export function targetPrograms(folder: string, server = join(root, "src/target/main.ts")): BuildOptions[] {
  return Object.entries({ attach: join(root, "src/target/attach.ts"), server }).map(([name, program]) => ({
    cwd: root,
    platform: "node",
    input: { [name]: program },
    external: [/^node:/, "@vscode/ripgrep"],
    logLevel: "silent",
    plugins: [{ name: "perl-programs", load: (id) => (id === perlModule ? embeddedPerl() : null) }],
    output: {
      dir: folder,
      format: "cjs",
      entryFileNames: "[name].cjs",
      minify: true,
      codeSplitting: false,
    },
  }));
}

/** Copies the script that finds Node on a target. */
export function copyBootstrap(folder: string): void {
  cpSync(join(root, "src/environment/remote/bootstrap.sh"), join(folder, "bootstrap.sh"));
}

/** Replaces the module that reads the Perl programs by their texts. */
function embeddedPerl(): string {
  const texts = globSync("src/{engine,sandbox,system}/**/*.pl", { cwd: root }).map((file) => [
    basename(file),
    readFileSync(join(root, file), "utf8").replace(/^\s*#.*\n/gm, ""),
  ]);
  return `const texts = ${JSON.stringify(Object.fromEntries(texts))};\nexport const perlProgram = (name) => texts[name];\n`;
}
