import type { ProgramRule } from "../command-report.ts";
import { interpretGit } from "./git.ts";
import { each, interprets, runs } from "./rows.ts";

const code = "runs the code it is given";
const build = "builds, which runs code of the project";
const packages = "installs packages, which run scripts";
const editor = "is an editor that can run commands";

/**
 * Compilers, interpreters, package managers and other development tools. Some obey files of the project even when asked
 * for their version, because a file can name a toolchain or release to run instead.
 */
export const developmentPrograms: Record<string, ProgramRule> = {
  ...each("apt brew bundle gem pnpm yarn", runs(packages)),
  ...each("bun deno java lua perl php ruby", interprets(code)),
  ...each("cargo go rustc", runs(build)),
  ...each("cmake make tsc", interprets(build)),
  docker: looksWith(
    /^(?:ps|images|logs|inspect|version|info|top|stats|port|diff|history)$/,
    "runs containers",
  ),
  ...each("ed ex nano vi view", runs(editor)),
  ...each("emacs nvim vim", interprets(editor)),
  gdb: interprets("is a debugger that runs programs and commands"),
  git: interpretGit,
  node: interprets(code, "-v"),
  npm: looksWith(/^(?:ls|list|root|prefix|why|explain|--version|-v)$/, packages),
  npx: runs("fetches and runs a package"),
  ...each("pip pip3", looksWith(/^(?:list|show|freeze|check|--version|-V)$/, packages)),
  ...each("python python3", interprets(code, "-V")),
};

/** Returns a rule for a program whose listed subcommands only read. They must come before any option. */
function looksWith(subcommands: RegExp, otherwise: string): ProgramRule {
  return (words, report) => {
    const [first] = words;
    const isPlain = words.every(({ value }) => plainWord.test(value ?? "-"));
    if (first?.value !== undefined && subcommands.test(first.value) && isPlain) return;
    report.has("execute", `${report.program} ${otherwise}`);
  };
}

/** Options may name settings and scripts. Only the usual ones for output are accepted. */
const plainWord =
  /^(?:[^-].*|-[agnqlvV]|--(?:all|depth(?:=\d+)?|json|long|global|quiet|tail=\d+|format(?:=.*)?|version))$/;
