import type { Word } from "../analysis.ts";
import type { Judge, Verdict } from "../verdict.ts";
import { innerCommand } from "../wrappers/inner-command.ts";
import { joined, runScript, runWords } from "../wrappers/run-inner.ts";
import { judgeDirectoryChange } from "./directory-change.ts";
import { destroys, judgeOptions, prints } from "./rows.ts";
import { judgeDeclaration, judgeNames, judgePrintf, judgeTestBuiltin } from "./variable-builtins.ts";

const harmless = prints("*");
const mapfile = "d=text n=text O=text s=text t u=text c=text C=command";

/** What bash does itself. */
export const shellBuiltins: Record<string, Judge> = {
  ".": judgeSource,
  ":": harmless,
  "[": judgeTestBuiltin,
  alias: shapes("alias changes what later words mean"),
  bg: harmless,
  bind: shapes("bind can run commands on keys"),
  break: harmless,
  builtin: judgeBuiltin,
  caller: harmless,
  cd: judgeDirectoryChange,
  command: judgeCommand,
  compgen: shapes("compgen can run commands"),
  complete: shapes("complete can run commands"),
  compopt: shapes("compopt changes completion"),
  continue: harmless,
  declare: judgeDeclaration,
  dirs: harmless,
  disown: harmless,
  echo: harmless,
  enable: shapes("enable can load code into the shell and replaces builtins"),
  eval: judgeEval,
  exec: judgeExec,
  exit: harmless,
  export: judgeDeclaration,
  false: harmless,
  fc: shapes("fc runs commands of the history"),
  fg: harmless,
  getopts: judgeNames("*", { skip: 1 }),
  hash: judgeHash,
  help: harmless,
  history: judgeHistory,
  jobs: judgeJobs,
  kill: destroys("ends processes"),
  let: shapes("let evaluates text as arithmetic, which may run commands"),
  local: judgeDeclaration,
  logout: harmless,
  mapfile: judgeNames(mapfile),
  popd: judgeDirectoryChange,
  printf: judgePrintf,
  pushd: judgeDirectoryChange,
  read: judgeNames("a=text d=text e i=text n=text N=text p=text r s t=text u=text", { alsoOption: "-a" }),
  readarray: judgeNames(mapfile),
  readonly: judgeDeclaration,
  return: harmless,
  set: judgeSet,
  shift: harmless,
  shopt: judgeShopt,
  source: judgeSource,
  suspend: harmless,
  test: judgeTestBuiltin,
  times: harmless,
  trap: judgeTrap,
  true: harmless,
  type: harmless,
  typeset: judgeDeclaration,
  ulimit: harmless,
  umask: harmless,
  unalias: harmless,
  unset: judgeNames("f v n"),
  wait: judgeNames("f n p=text", { alsoOption: "-p", operands: "text" }),
};

/** It changes what later commands mean, so these can no longer be told. */
function shapes(reason: string): Judge {
  return (_words, verdict) => reshape(reason, verdict);
}

function reshape(reason: string, verdict: Verdict, word?: Word): void {
  verdict.doubts(reason, word);
  verdict.has("execute", reason, word);
}

/** `command -v name` only looks; `command name` runs the program or builtin, never a function. */
function judgeCommand(words: readonly Word[], verdict: Verdict) {
  const inner = innerCommand("p v V", words, verdict);
  if (inner === undefined || inner.options.some(({ name }) => /^-[vV]$/.test(name))) return;
  runWords(inner.words, "command", verdict, "same");
}

function judgeBuiltin(words: readonly Word[], verdict: Verdict) {
  const inner = innerCommand("", words, verdict);
  if (inner !== undefined) runWords(inner.words, "builtin", verdict, "same");
}

function judgeEval(words: readonly Word[], verdict: Verdict) {
  const script = joined(words[0]?.value === "--" ? words.slice(1) : words);
  if (script !== undefined) runScript(script, "eval", verdict, "same");
}

function judgeExec(words: readonly Word[], verdict: Verdict) {
  const inner = innerCommand("c l a=text", words, verdict);
  if (inner !== undefined) runWords(inner.words, "exec", verdict);
}

function judgeSource(words: readonly Word[], verdict: Verdict) {
  const [file] = words[0]?.value === "--" ? words.slice(1) : words;
  if (file !== undefined) verdict.reads(file);
  verdict.has("execute", `runs the commands in ${file?.text ?? "a file"} and changes this shell`);
  verdict.reshapes();
  const { shell } = verdict.scope;
  verdict.inner.push(() => {
    shell.directory = undefined;
  });
  if (file === undefined || file.value === undefined || /^\/(?:dev|proc)\//.test(file.value))
    verdict.doubts("commands that are only known when it runs", file);
}

function judgeHash(words: readonly Word[], verdict: Verdict) {
  const { options } = judgeOptions("r d l t p=text", words, verdict);
  const pinned = options.find(({ name }) => name === "-p");
  if (pinned !== undefined) reshape("hash -p lets a name run another file", verdict, pinned.word);
}

function judgeHistory(words: readonly Word[], verdict: Verdict) {
  const { operands } = judgeOptions("c!delete d!delete a!write w!write r n s #", words, verdict);
  for (const file of operands) verdict.writes(file);
  if (words.some(({ value }) => /^-[^-]*p/.test(value ?? "-p"))) reshape("history -p expands text", verdict);
}

function judgeJobs(words: readonly Word[], verdict: Verdict) {
  const inner = innerCommand("l n p r s x", words, verdict);
  if (inner?.options.some(({ name }) => name === "-x")) runWords(inner.words, "jobs -x", verdict, "same");
}

const plainOptions = /^(?:[-+][euxvfET]+|[-+]o)$/;
const plainNames = /^(?:pipefail|errexit|nounset|xtrace|noglob|verbose|errtrace|functrace)$/;

/** Only the options that change nothing about how commands are read. */
function judgeSet(words: readonly Word[], verdict: Verdict) {
  for (let place = 0; place < words.length; place++) {
    const { value } = words[place]!;
    if (value === "--" || value === "-") return;
    const takesName = value !== undefined && /^[-+][euxvfET]*o$/.test(value);
    const plain = value !== undefined && (plainOptions.test(value) || takesName);
    if (!plain && value !== undefined && !/^[-+]/.test(value)) return;
    if (!plain || (takesName && !plainNames.test(words[++place]?.value ?? "pipefail")))
      return reshape("set changes how later commands are read", verdict, words[place]);
  }
}

const plainSettings =
  /^(?:nullglob|failglob|dotglob|globstar|nocaseglob|nocasematch|inherit_errexit|globasciiranges|checkwinsize|-[suqp]+)$/;

function judgeShopt(words: readonly Word[], verdict: Verdict) {
  const odd = words.find(({ value }) => value === undefined || !plainSettings.test(value));
  if (odd !== undefined) reshape("shopt changes how later commands are read", verdict, odd);
  if (words.some(({ value }) => value === undefined || /^-\w*[su]/.test(value))) verdict.reshapes();
}

const movers = /^(?:cd|pushd|popd|eval|source|\.)$/;

/** `trap 'commands' signals` keeps commands for later. */
function judgeTrap(words: readonly Word[], verdict: Verdict) {
  const [first, ...rest] = words[0]?.value === "--" ? words.slice(1) : words;
  if (first === undefined || /^-[lp]$/.test(first.value ?? "")) return;
  if (rest.length === 0 || first.value === "-" || first.value === "") {
    if (first.value === undefined) verdict.doubts("what trap is told to run", first);
    return;
  }
  verdict.reshapes();
  const { commands } = verdict.scope.reading;
  let before = 0;
  verdict.inner.push(() => {
    before = commands.length;
  });
  runScript(first, "trap", verdict, "deferred");
  verdict.inner.push(() => {
    if (commands.slice(before).some(({ program }) => movers.test(program ?? "cd")))
      verdict.doubts("a trap that may change the directory of other commands", first);
  });
}
