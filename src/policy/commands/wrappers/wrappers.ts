import type { Word } from "../analysis.ts";
import { judgeOptions, runs } from "../programs/rows.ts";
import type { Judge, Verdict } from "../verdict.ts";
import { judgeEnv } from "./env.ts";
import { innerCommand } from "./inner-command.ts";
import { joined, runPlainScript, runWords } from "./run-inner.ts";
import { judgeShell } from "./shells.ts";
import { judgeXargs } from "./xargs.ts";

/** Programs that run the command in their operands, with the options they take before it. */
export const wrappers: Record<string, Judge> = {
  ash: judgeShell,
  bash: judgeShell,
  busybox: wraps(""),
  caffeinate: wraps("d i m s u t=text w=text"),
  chroot: runs("runs the programs of another root"),
  chrt: wraps("b f i o r R a v", { skip: 1 }),
  csh: runs("runs commands in a language of its own"),
  dash: judgeShell,
  doas: elevates("n s!run u=text C=read"),
  env: judgeEnv,
  fakeroot: wraps("u --unknown-is-real", { alone: "shell" }),
  fish: runs("runs commands in a language of its own"),
  flock: judgeFlock,
  ionice: wraps("c=text n=text t"),
  ksh: runs("runs commands in a language of its own"),
  ltrace: wraps("c C f i S r t T e=text s=text n=text a=text o=write"),
  nice: wraps("n=text # --adjustment=text"),
  nohup: judgeNohup,
  nsenter: runs("leaves the container"),
  numactl: wraps(
    "i=text m=text N=text C=text l --interleave=text --membind=text --cpunodebind=text --physcpubind=text --localalloc",
  ),
  parallel: judgeParallel,
  pkexec: elevates("--user=text"),
  prlimit: runs("changes limits of processes"),
  rlwrap: wraps("a A n N"),
  runuser: runs("acts as another user"),
  script: judgeScript,
  setarch: runs("runs a program or a shell"),
  setsid: wraps("c f w --ctty --fork --wait"),
  sh: judgeShell,
  stdbuf: wraps("i=text o=text e=text --input=text --output=text --error=text"),
  strace: judgeTrace,
  su: runs("acts as another user"),
  sudo: elevates(
    "A b E e!run H i!run k K l n P S s!run v V u=text g=text h=text p=text C=text T=text D=read R=read --user=text --group=text --non-interactive --preserve-env --stdin --set-home",
  ),
  taskset: wraps("a p c", { skip: 1 }),
  tcsh: runs("runs commands in a language of its own"),
  time: wraps("p v a q f=text o=write --portability --verbose --append --quiet --format=text --output=write"),
  timeout: wraps("k=text s=text v --kill-after=text --signal=text --foreground --preserve-status --verbose", {
    skip: 1,
  }),
  toybox: wraps(""),
  unbuffer: wraps("p"),
  unshare: wraps("c f i m n p r u U C T --fork --pid --net --user --mount --map-root-user --mount-proc", {
    alone: "shell",
  }),
  valgrind: wraps(
    "q v --leak-check=text --tool=text --error-exitcode=text --track-origins=text --show-leak-kinds=text",
  ),
  watch: judgeWatch,
  xargs: judgeXargs,
  "xvfb-run": runs("starts a display"),
  zsh: runs("runs commands in a language of its own"),
};

/** The operands are a command, after `skip` of them that are something else; some start a shell when there is none. */
function wraps(
  options: string,
  { skip = 0, alone }: { readonly skip?: number; readonly alone?: "shell" } = {},
): Judge {
  return (words, verdict) => {
    const inner = innerCommand(options, words, verdict, skip)?.words;
    if (inner === undefined) return;
    runWords(inner, verdict.program, verdict);
    if (inner.length > 0 || alone === undefined) return;
    verdict.doubts(`${verdict.program} starts a shell, which runs the commands it is given as input`);
    verdict.has("execute", `${verdict.program} starts a shell`);
  };
}

/** `strace -o '|program'` runs it. */
function judgeTrace(words: readonly Word[], verdict: Verdict) {
  const inner = innerCommand("c C f i q r t T v x y e=text s=text a=text P=text o=write", words, verdict);
  for (const { name, value, word } of inner?.options ?? [])
    if (name === "-o" && /^[|!]/.test(value?.value ?? "|"))
      verdict.has("execute", "strace -o may run a program", word);
  if (inner !== undefined) runWords(inner.words, "strace", verdict);
}

/** The same with the rights of somebody else; it may also be given variables. */
function elevates(options: string): Judge {
  return (words, verdict) => {
    verdict.has("execute", `${verdict.program} acts as another user`);
    const inner = innerCommand(options, words, verdict)?.words;
    if (inner === undefined) return;
    const start = inner.findIndex(({ value }) => !/^[A-Za-z_]\w*=/.test(value ?? ""));
    for (const word of inner.slice(0, Math.max(start, 0))) verdict.passes(word);
    if (start >= 0) runWords(inner.slice(start), verdict.program, verdict);
  };
}

/** Without a terminal to talk to it appends to nohup.out. */
function judgeNohup(words: readonly Word[], verdict: Verdict) {
  if (!verdict.command.redirections.some(({ kind }) => kind === "write" || kind === "append"))
    verdict.has("write", "nohup may write nohup.out");
  const inner = innerCommand("", words, verdict)?.words;
  if (inner !== undefined) runWords(inner, "nohup", verdict);
}

/** `flock file -c 'script'` or `flock file program words`. */
function judgeFlock(words: readonly Word[], verdict: Verdict) {
  const inner = innerCommand(
    "s x e u n w=text E=text o F v --shared --exclusive --nonblock --wait=text --close --verbose",
    words,
    verdict,
  )?.words;
  const [lock, ...rest] = inner ?? [];
  if (lock === undefined) return;
  if (!/^\d+$/.test(lock.value ?? "")) verdict.writes(lock);
  const [flag, script] = rest;
  if (flag?.value !== "-c" && flag?.value !== "--command") return runWords(rest, "flock", verdict);
  if (script !== undefined) runPlainScript(script, "flock -c", verdict);
}

function judgeScript(words: readonly Word[], verdict: Verdict) {
  const { options, operands } = judgeOptions(
    "a e f q c=text --append --return --flush --quiet --command=text",
    words,
    verdict,
  );
  const commands = options.filter(({ name }) => name === "-c" || name === "--command");
  for (const { value } of commands) if (value !== undefined) runPlainScript(value, "script -c", verdict);
  if (commands.length === 0) verdict.has("execute", "script starts a shell");
  for (const file of operands) verdict.writes(file);
  if (operands.length === 0) verdict.has("write", "script writes typescript");
}

/** watch gives its words to a shell, again and again. */
function judgeWatch(words: readonly Word[], verdict: Verdict) {
  const list =
    "b c d e g p t w x n=text --beep --color --differences --errexit --chgexit --interval=text --no-title";
  const inner = innerCommand(list, words, verdict)?.words;
  const script = joined(inner ?? []);
  if (script !== undefined) runPlainScript(script, "watch", verdict);
}

/** GNU parallel gives its words to a shell, with its input put in. */
function judgeParallel(words: readonly Word[], verdict: Verdict) {
  verdict.has("execute", "parallel builds commands from its input");
  const inner = innerCommand(
    "j=text k n=text N=text # --jobs=text --keep-order --bar --halt=text --dry-run --will-cite",
    words,
    verdict,
  )?.words;
  const end = inner?.findIndex(({ value }) => /^::::?\+?$/.test(value ?? "")) ?? -1;
  const template = inner?.slice(0, end < 0 ? undefined : end) ?? [];
  const script = joined(template);
  if (script === undefined || script.text.startsWith("{"))
    verdict.doubts("parallel runs what it is given as input");
  else runPlainScript(script, "parallel", verdict);
}
