import type { Word } from "../analysis.ts";
import type { ProgramRule } from "../command-report.ts";
import { interpretGit } from "./git.ts";
import { interprets, runs } from "./rows.ts";

const code = "runs the code it is given";
const build = "builds, which runs what the project says";
const packages = "installs packages, which run scripts";
const editor = "is an editor that can run commands";

/**
 * Compilers, interpreters, package managers and other things of a developer. Some obey files of the project even when
 * asked for their version: a toolchain or a release of theirs to run instead.
 */
export const developmentPrograms: Record<string, ProgramRule> = {
  apt: runs(packages),
  brew: runs(packages),
  bun: interprets(code),
  bundle: runs(packages),
  cargo: runs(build),
  cmake: interprets(build),
  deno: interprets(code),
  docker: looksWith(
    /^(?:ps|images|logs|inspect|version|info|top|stats|port|diff|history)$/,
    "runs containers",
  ),
  ed: runs(editor),
  emacs: interprets(editor),
  ex: runs(editor),
  gdb: interprets("is a debugger that runs programs and commands"),
  gem: runs(packages),
  git: interpretGit,
  go: runs(build),
  java: interprets(code),
  lua: interprets(code),
  make: interprets(build),
  nano: runs(editor),
  node: interprets(code, "-v"),
  npm: looksWith(/^(?:ls|list|root|prefix|why|explain|--version|-v)$/, packages),
  npx: runs("fetches and runs a package"),
  nvim: interprets(editor),
  perl: interprets(code),
  php: interprets(code),
  pip: looksWith(/^(?:list|show|freeze|check|--version|-V)$/, packages),
  pip3: looksWith(/^(?:list|show|freeze|check|--version|-V)$/, packages),
  pnpm: runs(packages),
  python: interprets(code, "-V"),
  python3: interprets(code, "-V"),
  ruby: interprets(code),
  rustc: runs(build),
  tsc: interprets(build),
  vi: runs(editor),
  view: runs(editor),
  vim: interprets(editor),
  yarn: runs(packages),
};

/** Some subcommands only look; they must come first, before any option. */
function looksWith(subcommands: RegExp, otherwise: string): ProgramRule {
  return (words, report) => {
    const [first] = words;
    if (first?.value !== undefined && subcommands.test(first.value) && words.every(isPlain)) return;
    report.has("execute", `${report.program} ${otherwise}`);
  };
}

/** Options may name settings and scripts; only the usual ones for output pass. */
function isPlain({ value }: Word): boolean {
  return (
    value !== undefined &&
    /^(?:[^-].*|-[agnqlvV]|--(?:all|depth(?:=\d+)?|json|long|global|quiet|tail=\d+|format(?:=.*)?|version))$/.test(
      value,
    )
  );
}
