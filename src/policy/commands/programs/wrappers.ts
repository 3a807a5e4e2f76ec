import { makeWord, type Word, wordAt } from "../analysis.ts";
import type { CommandReport, ProgramRule } from "../command-report.ts";
import { each, innerCommand, interpretOptions, runs } from "./rows.ts";
import { type InnerShell, joined, runPlainScript, runScript, runWords } from "./run-inner.ts";

/** Programs that run the command in their operands, with the options that they accept before it. */
export const wrappers: Record<string, ProgramRule> = {
  ...each("ash bash dash sh", interpretShell),
  ...each("busybox toybox", wraps("")),
  caffeinate: wraps("d i m s u t=text w=text"),
  chroot: runs("runs the programs of another root"),
  chrt: wraps("b f i o r R a v", { skip: 1 }),
  ...each("csh fish ksh tcsh zsh", runs("runs commands in another shell language")),
  doas: elevates("n s!run u=text C=read"),
  env: interpretEnv,
  fakeroot: wraps("u --unknown-is-real", { alone: "shell" }),
  flock: interpretFlock,
  ionice: wraps("c=text n=text t"),
  ltrace: wraps("c C f i S r t T e=text s=text n=text a=text o=write"),
  nice: wraps("n=text # --adjustment=text"),
  nohup: interpretNohup,
  nsenter: runs("leaves the container"),
  numactl: wraps(
    "i=text m=text N=text C=text l --interleave=text --membind=text --cpunodebind=text --physcpubind=text --localalloc",
  ),
  parallel: interpretParallel,
  pkexec: elevates("--user=text"),
  prlimit: runs("changes limits of processes"),
  rlwrap: wraps("a A n N"),
  ...each("runuser su", runs("acts as another user")),
  script: interpretScript,
  setarch: runs("runs a program or a shell"),
  setsid: wraps("c f w --ctty --fork --wait"),
  stdbuf: wraps("i=text o=text e=text --input=text --output=text --error=text"),
  strace: interpretTrace,
  sudo: elevates(
    "A b E e!run H i!run k K l n P S s!run v V u=text g=text h=text p=text C=text T=text D=read R=read --user=text --group=text --non-interactive --preserve-env --stdin --set-home",
  ),
  taskset: wraps("a p c", { skip: 1 }),
  time: wraps("p v a q f=text o=write --portability --verbose --append --quiet --format=text --output=write"),
  timeout: wraps("k=text s=text v --kill-after=text --signal=text --foreground --preserve-status --verbose", {
    skip: 1,
  }),
  unbuffer: wraps("p"),
  unshare: wraps("c f i m n p r u U C T --fork --pid --net --user --mount --map-root-user --mount-proc", {
    alone: "shell",
  }),
  valgrind: wraps(
    "q v --leak-check=text --tool=text --error-exitcode=text --track-origins=text --show-leak-kinds=text",
  ),
  watch: interpretWatch,
  xargs: interpretXargs,
  "xvfb-run": runs("starts a display"),
};

/** Returns a rule for a program whose operands after the first `skip` are a command. Some start a shell without one. */
export function wraps(
  options: string,
  {
    skip = 0,
    alone,
    shell,
  }: { readonly skip?: number; readonly alone?: "shell"; readonly shell?: InnerShell } = {},
): ProgramRule {
  return (words, report) => {
    const inner = innerCommand(options, words, report, skip)?.words;
    if (inner === undefined) return;
    runWords(inner, report.program, report, shell);
    if (inner.length > 0 || alone === undefined) return;
    report.doubts(`${report.program} starts a shell, which runs the commands in its input`);
    report.has("execute", `${report.program} starts a shell`);
  };
}

/** Interprets strace, which runs a program with `-o '|program'`. */
function interpretTrace(words: readonly Word[], report: CommandReport) {
  const inner = innerCommand("c C f i q r t T v x y e=text s=text a=text P=text o=write", words, report);
  for (const { name, value, word } of inner?.options ?? [])
    if (name === "-o" && /^[|!]/.test(value?.value ?? "|"))
      report.has("execute", "strace -o may run a program", word);
  if (inner !== undefined) runWords(inner.words, "strace", report);
}

/** Returns a rule for a program that runs its operands as another user. Variables may come first. */
function elevates(options: string): ProgramRule {
  return (words, report) => {
    report.has("execute", `${report.program} acts as another user`);
    const inner = innerCommand(options, words, report)?.words;
    if (inner === undefined) return;
    const start = inner.findIndex(({ value }) => !/^[A-Za-z_]\w*=/.test(value ?? ""));
    report.passed.push(...inner.slice(0, Math.max(start, 0)));
    if (start >= 0) runWords(inner.slice(start), report.program, report);
  };
}

/** Interprets nohup, which appends to nohup.out without a terminal. */
function interpretNohup(words: readonly Word[], report: CommandReport) {
  if (!report.command.redirections.some(({ kind }) => kind === "write" || kind === "append"))
    report.has("write", "nohup may write nohup.out");
  wraps("")(words, report);
}

/** Interprets `flock file -c 'script'` and `flock file program words`. */
function interpretFlock(words: readonly Word[], report: CommandReport) {
  const inner = innerCommand(
    "s x e u n w=text E=text o F v --shared --exclusive --nonblock --wait=text --close --verbose",
    words,
    report,
  )?.words;
  const [lock, ...rest] = inner ?? [];
  if (lock === undefined) return;
  if (!/^\d+$/.test(lock.value ?? "")) report.writes(lock);
  const [flag, script] = rest;
  if (flag?.value !== "-c" && flag?.value !== "--command") return runWords(rest, "flock", report);
  if (script !== undefined) runPlainScript(script, "flock -c", report);
}

function interpretScript(words: readonly Word[], report: CommandReport) {
  const { options, operands } = interpretOptions(
    "a e f q c=text --append --return --flush --quiet --command=text",
    words,
    report,
  );
  const commands = options.filter(({ name }) => name === "-c" || name === "--command");
  for (const { value } of commands) if (value !== undefined) runPlainScript(value, "script -c", report);
  if (commands.length === 0) report.has("execute", "script starts a shell");
  for (const file of operands) report.writes(file);
  if (operands.length === 0) report.has("write", "script writes typescript");
}

/** Interprets watch, which passes its words to a shell repeatedly. */
function interpretWatch(words: readonly Word[], report: CommandReport) {
  const list =
    "b c d e g p t w x n=text --beep --color --differences --errexit --chgexit --interval=text --no-title";
  const inner = innerCommand(list, words, report)?.words;
  const script = joined(inner ?? []);
  if (script !== undefined) runPlainScript(script, "watch", report);
}

/** Interprets GNU parallel, which passes its words to a shell with its input inserted. */
function interpretParallel(words: readonly Word[], report: CommandReport) {
  report.has("execute", "parallel builds commands from its input");
  const inner = innerCommand(
    "j=text k n=text N=text # --jobs=text --keep-order --bar --halt=text --dry-run --will-cite",
    words,
    report,
  )?.words;
  const end = inner?.findIndex(({ value }) => /^::::?\+?$/.test(value ?? "")) ?? -1;
  const template = inner?.slice(0, end < 0 ? undefined : end) ?? [];
  const script = joined(template);
  if (script === undefined || script.text.startsWith("{"))
    report.doubts("parallel runs commands from its input");
  else runPlainScript(script, "parallel", report);
}

const envOptions =
  "i 0 v u=text C=read S=text --ignore-environment --null --unset=text --chdir=read --split-string=text --debug --version --default-signal --ignore-signal --block-signal --list-signal-handling";

/** Interprets `env NAME=value program words`. With `-S` one word is a whole command. */
function interpretEnv(words: readonly Word[], report: CommandReport) {
  // A lone dash means `-i`.
  const inner = innerCommand(
    envOptions,
    words.filter((word, index) => word.value !== "-" || words.slice(0, index).some(isOperand)),
    report,
  );
  if (inner === undefined) return;
  const split = inner.options.find(({ name }) => name === "-S" || name === "--split-string");
  const all = split === undefined ? [] : splitString(split.value, split.word, report);
  const moves = inner.options.some(({ name }) => name === "-C" || name === "--chdir");
  runWithVariables([...all, ...inner.words], split === undefined ? "env" : "env -S", report, moves);
}

function runWithVariables(words: readonly Word[], via: string, report: CommandReport, moves: boolean): void {
  const start = words.findIndex(({ parts }) => typeof parts[0] !== "string" || !/^[^=]*=/.test(parts[0]));
  report.passed.push(...(start < 0 ? words : words.slice(0, start)));
  if (start >= 0) runWords(words.slice(start), via, report, moves ? "unknown" : "own");
}

/**
 * Splits the string of `env -S`, which has its own quotes, escapes, variables and options. Accepts only plain words.
 */
function splitString(value: Word | undefined, word: Word, report: CommandReport): Word[] {
  const text = value?.value;
  if (text === undefined || /[\\'"$#\v\f\r\n]|(?:^|\s)-/.test(text)) {
    report.doubts("a command in env -S that has more than plain words", word);
    return [];
  }
  const pieces = text.split(/[ \t]+/).filter((piece) => piece !== "");
  return pieces.map((piece) => ({ text: piece, span: word.span, parts: [piece], value: piece }));
}

function isOperand({ parts }: Word): boolean {
  return typeof parts[0] !== "string" || !parts[0].startsWith("-");
}

const xargsOptions =
  "0 o p r t x a=read d=text E=text e?text I=text i?text L=text l?text n=text P=text s=text --null --open-tty --interactive --no-run-if-empty --verbose --exit --arg-file=read --delimiter=text --eof?text --replace?text --max-lines?text --max-args=text --max-procs=text --max-chars=text";

/** Interprets xargs, whose command gets the input as further words, or in place of a mark. */
function interpretXargs(words: readonly Word[], report: CommandReport) {
  const found = innerCommand(xargsOptions, words, report);
  if (found === undefined || found.words.length === 0) return;
  const { options, words: inner } = found;
  const marks = options.filter(({ name }) => /^(?:-[Ii]|--replace)$/.test(name));
  const mark = marks.length === 0 ? undefined : (marks.at(-1)?.value?.value ?? "{}");
  const end = inner.at(-1)!.span.end;
  const more = makeWord("(input)", { start: end, end }, [{ unknown: "input", text: "", splits: true }]);
  const filled = mark === undefined ? [...inner, more] : inner.map((word) => fillIn(word, mark));
  runWords(filled, "xargs", report);
}

function fillIn(word: Word, mark: string): Word {
  if (mark === "" || !(word.value ?? word.text).includes(mark)) return word;
  return wordAt(word, [{ unknown: "input", text: word.text, splits: false }]);
}

/** Interprets `sh -c 'commands'`, `sh file`, and a shell that reads commands from its input. */
function interpretShell(words: readonly Word[], report: CommandReport) {
  let index = 0;
  let command = false;
  let fromInput = false;
  for (; index < words.length; index++) {
    const word = words[index]!;
    const value = word.value;
    if (value === undefined) return unknownWord(word, report);
    if (value === "-" || value === "--") {
      index++;
      break;
    }
    if (!/^[-+]/.test(value)) break;
    if (/^--(?:norc|noprofile|posix|verbose|restricted|noediting)$/.test(value)) continue;
    if (/^--(?:version|help)$/.test(value)) return;
    if (!/^[-+][abefhkmnptuvxBCEHPTcsloO]+$/.test(value)) return unknownWord(word, report);
    // A login shell runs the profile first.
    if (/l/.test(value)) report.has("execute", `${report.program} ${value} runs the profile`, word);
    if (/k|n|p|t/.test(value))
      report.doubts(`${report.program} ${value} reads its commands differently`, word);
    if (value.startsWith("-") && value.includes("c")) command = true;
    if (value.startsWith("-") && value.includes("s")) fromInput = true;
    if (/[oO]/.test(value)) setOption(words[++index], report);
  }
  const script = words[index];
  if (command) {
    if (script === undefined) return report.doubts(`${report.program} -c without commands`);
    return runShellScript(script, `${report.program} -c`, report);
  }
  const isInput = /^\/(?:dev\/(?:stdin|fd\/0)|proc\/[^/]+\/fd\/0)$/.test(script?.value ?? "");
  if (script === undefined || fromInput || isInput) return readInput(report);
  report.reads(script);
  // A shell runs what it is given, so a rule about the shell may leave its script open.
  report.has("execute", `runs the commands in ${script.text}`);
}

function runShellScript(script: Word, via: string, report: CommandReport) {
  return report.program === "bash" ? runScript(script, via, report) : runPlainScript(script, via, report);
}

function unknownWord(word: Word, report: CommandReport): void {
  report.doubts(`a word of ${report.program} that is not understood`, word);
  report.has("execute", `${report.program} ${word.text} may run anything`, word);
}

/** Accepts only options that do not change how commands are read. */
function setOption(word: Word | undefined, report: CommandReport): void {
  if (/^(?:pipefail|errexit|nounset|xtrace|noglob|verbose)$/.test(word?.value ?? "")) return;
  report.doubts(`${report.program} reads its commands differently`, word);
}

/** Analyses a here-document or here-string like `-c`. Any other input is unknown. */
function readInput(report: CommandReport) {
  const redirections = report.command.redirections.filter(
    ({ descriptor }) => descriptor === undefined || descriptor === 0,
  );
  const [input] = redirections.filter(({ kind }) => kind === "text");
  const others = redirections.filter(({ kind }) => /^read/.test(kind));
  if (input !== undefined && others.length === 0 && redirections.at(-1) === input)
    return runShellScript(input.target, `${report.program} <<`, report);
  report.doubts(`${report.program} runs the commands in its input`);
  report.has("execute", `${report.program} runs the commands in its input`);
}
