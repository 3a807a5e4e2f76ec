import type { Word } from "../analysis.ts";
import type { CommandReport, ProgramRule } from "../command-report.ts";
import { destroys, each, innerCommand, interpretOptions, prints } from "./rows.ts";
import { joined, runScript, runWords } from "./run-inner.ts";
import {
  interpretDeclaration,
  interpretNames,
  interpretPrintf,
  interpretTestBuiltin,
} from "./variable-builtins.ts";
import { wraps } from "./wrappers.ts";

const harmless = prints("*");
const mapfile = "d=text n=text O=text s=text t u=text c=text C=command";

export const shellBuiltins: Record<string, ProgramRule> = {
  ...each(". source", interpretSource),
  ...each(
    ": bg break caller continue dirs disown echo exit false fg help logout return shift suspend times true type ulimit umask unalias",
    harmless,
  ),
  ...each("[ test", interpretTestBuiltin),
  alias: shapes("alias changes what later words mean"),
  bind: shapes("bind can run commands on keys"),
  builtin: wraps("", { shell: "same" }),
  ...each("cd popd pushd", interpretDirectoryChange),
  command: interpretCommand,
  compgen: shapes("compgen can run commands"),
  complete: shapes("complete can run commands"),
  compopt: shapes("compopt changes completion"),
  ...each("declare export local readonly typeset", interpretDeclaration),
  enable: shapes("enable can load code into the shell and replaces builtins"),
  eval: interpretEval,
  exec: wraps("c l a=text"),
  fc: shapes("fc runs commands of the history"),
  getopts: interpretNames("*", { skip: 1 }),
  hash: interpretHash,
  history: interpretHistory,
  jobs: interpretJobs,
  kill: destroys("ends processes"),
  let: shapes("let evaluates text as arithmetic, which may run commands"),
  ...each("mapfile readarray", interpretNames(mapfile)),
  printf: interpretPrintf,
  read: interpretNames("a=text d=text e i=text n=text N=text p=text r s t=text u=text", { alsoOption: "-a" }),
  set: interpretSet,
  shopt: interpretShopt,
  trap: interpretTrap,
  unset: interpretNames("f v n"),
  wait: interpretNames("f n p=text", { alsoOption: "-p", operands: "text" }),
};

/** Returns a rule for a builtin that changes the meaning of later commands. */
function shapes(reason: string): ProgramRule {
  return (_words, report) => reshape(reason, report);
}

function reshape(reason: string, report: CommandReport, word?: Word): void {
  report.doubts(reason, word);
  report.has("execute", reason, word);
}

/** Interprets `command name`, which runs a program or builtin, and `command -v name`, which only looks it up. */
function interpretCommand(words: readonly Word[], report: CommandReport) {
  const inner = innerCommand("p v V", words, report);
  if (inner === undefined || inner.options.some(({ name }) => /^-[vV]$/.test(name))) return;
  runWords(inner.words, "command", report, "same");
}

function interpretEval(words: readonly Word[], report: CommandReport) {
  const script = joined(words[0]?.value === "--" ? words.slice(1) : words);
  if (script !== undefined) runScript(script, "eval", report, "same");
}

function interpretSource(words: readonly Word[], report: CommandReport) {
  const [file] = words[0]?.value === "--" ? words.slice(1) : words;
  if (file !== undefined) report.reads(file);
  report.has("execute", `runs the commands in ${file?.text ?? "a file"} and changes this shell`);
  report.reshapes();
  const { shell } = report.scope;
  report.inner.push(() => {
    shell.directory = undefined;
  });
  if (file === undefined || file.value === undefined || /^\/(?:dev|proc)\//.test(file.value))
    report.doubts("commands that are known only at run time", file);
}

function interpretHash(words: readonly Word[], report: CommandReport) {
  const { options } = interpretOptions("r d l t p=text", words, report);
  const pinned = options.find(({ name }) => name === "-p");
  if (pinned !== undefined) reshape("hash -p lets a name run another file", report, pinned.word);
}

function interpretHistory(words: readonly Word[], report: CommandReport) {
  const { operands } = interpretOptions("c!delete d!delete a!write w!write r n s #", words, report);
  for (const file of operands) report.writes(file);
  if (words.some(({ value }) => /^-[^-]*p/.test(value ?? "-p"))) reshape("history -p expands text", report);
}

function interpretJobs(words: readonly Word[], report: CommandReport) {
  const inner = innerCommand("l n p r s x", words, report);
  if (inner?.options.some(({ name }) => name === "-x")) runWords(inner.words, "jobs -x", report, "same");
}

const plainOptions = /^(?:[-+][euxvfET]+|[-+]o)$/;
const plainNames = /^(?:pipefail|errexit|nounset|xtrace|noglob|verbose|errtrace|functrace)$/;

/** Accepts only options that do not change how commands are read. */
function interpretSet(words: readonly Word[], report: CommandReport) {
  for (let index = 0; index < words.length; index++) {
    const { value } = words[index]!;
    if (value === "--" || value === "-") return;
    const takesName = value !== undefined && /^[-+][euxvfET]*o$/.test(value);
    const plain = value !== undefined && (plainOptions.test(value) || takesName);
    if (!plain && value !== undefined && !/^[-+]/.test(value)) return;
    if (!plain || (takesName && !plainNames.test(words[++index]?.value ?? "pipefail")))
      return reshape("set changes how later commands are read", report, words[index]);
  }
}

const plainSettings =
  /^(?:nullglob|failglob|dotglob|globstar|nocaseglob|nocasematch|inherit_errexit|globasciiranges|checkwinsize|-[suqp]+)$/;

function interpretShopt(words: readonly Word[], report: CommandReport) {
  const odd = words.find(({ value }) => value === undefined || !plainSettings.test(value));
  if (odd !== undefined) reshape("shopt changes how later commands are read", report, odd);
  if (words.some(({ value }) => value === undefined || /^-\w*[su]/.test(value))) report.reshapes();
}

const movers = /^(?:cd|pushd|popd|eval|source|\.)$/;

/** Interprets `trap 'commands' signals`, which stores commands for later. */
function interpretTrap(words: readonly Word[], report: CommandReport) {
  const [first, ...rest] = words[0]?.value === "--" ? words.slice(1) : words;
  if (first === undefined || /^-[lp]$/.test(first.value ?? "")) return;
  if (rest.length === 0 || first.value === "-" || first.value === "") {
    if (first.value === undefined) report.doubts("a trap that is known only at run time", first);
    return;
  }
  report.reshapes();
  const { commands } = report.scope.reading;
  let before = 0;
  report.inner.push(() => {
    before = commands.length;
  });
  runScript(first, "trap", report);
  report.inner.push(() => {
    if (commands.slice(before).some(({ program }) => movers.test(program ?? "cd")))
      report.doubts("a trap that may change the directory of other commands", first);
  });
}

/** Handles `cd directory`: later commands run there, if the directory is plainly written. */
function interpretDirectoryChange(words: readonly Word[], report: CommandReport) {
  const { shell } = report.scope;
  const directories = words.filter(({ value }) => !/^-[LPe@n]*$|^--$/.test(value ?? ""));
  const [target] = directories;
  if (target !== undefined) report.looksAt(target);
  report.inner.push(() => {
    const plain =
      report.program === "cd" && directories.length === 1 && words.every(({ value }) => value !== "-");
    const next = plain ? join(shell.directory, target?.value, report.scope.reading.start) : undefined;
    // A `cd` to the current directory changes nothing, even if it fails.
    if (next !== undefined && next === shell.directory) return;
    shell.directory = next !== undefined && next.length > longestPath ? undefined : next;
    shell.moved = true;
  });
}

// No system accepts a path longer than this.
const longestPath = 4096;

function join(from: string | undefined, to: string | undefined, start: string): string | undefined {
  if (to === undefined || to === "") return undefined;
  if (start !== "" && (to === start || to === `${start}/`)) return "";
  if (to.startsWith("/")) return to;
  if (from === undefined) return undefined;
  if (to === "." || to === "./") return from;
  return from === "" ? to : `${from}/${to}`;
}
