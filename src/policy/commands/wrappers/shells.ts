import type { Word } from "../analysis.ts";
import type { Judge, Verdict } from "../verdict.ts";
import { runPlainScript, runScript } from "./run-inner.ts";

/** `sh -c 'commands'`, `sh file`, or a shell that reads its commands from its input. */
export const judgeShell: Judge = (words, verdict) => {
  let place = 0;
  let command = false;
  let fromInput = false;
  for (; place < words.length; place++) {
    const word = words[place]!;
    const value = word.value;
    if (value === undefined) return unknownWord(word, verdict);
    if (value === "-" || value === "--") {
      place++;
      break;
    }
    if (!/^[-+]/.test(value)) break;
    if (/^--(?:norc|noprofile|posix|verbose|restricted|noediting)$/.test(value)) continue;
    if (/^--(?:version|help)$/.test(value)) return;
    if (!/^[-+][abefhkmnptuvxBCEHPTcsloO]+$/.test(value)) return unknownWord(word, verdict);
    // A login shell runs the profile first.
    if (/l/.test(value)) verdict.has("execute", `${verdict.program} ${value} runs the profile`, word);
    if (/k|n|p|t/.test(value))
      verdict.doubts(`${verdict.program} ${value} reads its commands otherwise`, word);
    if (value.startsWith("-") && value.includes("c")) command = true;
    if (value.startsWith("-") && value.includes("s")) fromInput = true;
    if (/[oO]/.test(value)) setOption(words[++place], verdict);
  }
  const script = words[place];
  if (command) {
    if (script === undefined) return verdict.doubts(`${verdict.program} -c without commands`);
    return runShellScript(script, `${verdict.program} -c`, verdict);
  }
  const isInput = /^\/(?:dev\/(?:stdin|fd\/0)|proc\/[^/]+\/fd\/0)$/.test(script?.value ?? "");
  if (script === undefined || fromInput || isInput) return readInput(verdict);
  verdict.reads(script);
  verdict.has("execute", `runs the commands in ${script.text}`, script);
};

function runShellScript(script: Word, via: string, verdict: Verdict) {
  return verdict.program === "bash" ? runScript(script, via, verdict) : runPlainScript(script, via, verdict);
}

function unknownWord(word: Word, verdict: Verdict): void {
  verdict.doubts(`what ${verdict.program} is told to run`, word);
  verdict.has("execute", `${verdict.program} ${word.text} may run anything`, word);
}

/** Only what changes nothing about how the commands are read. */
function setOption(word: Word | undefined, verdict: Verdict): void {
  if (/^(?:pipefail|errexit|nounset|xtrace|noglob|verbose)$/.test(word?.value ?? "")) return;
  verdict.doubts(`${verdict.program} is told to read its commands otherwise`, word);
}

/** A here-document or here-string is as good as `-c`; anything else only the input knows. */
function readInput(verdict: Verdict) {
  const redirections = verdict.command.redirections.filter(
    ({ descriptor }) => descriptor === undefined || descriptor === 0,
  );
  const [input] = redirections.filter(({ kind }) => kind === "text");
  const others = redirections.filter(({ kind }) => /^read/.test(kind));
  if (input !== undefined && others.length === 0 && redirections.at(-1) === input)
    return runShellScript(input.target, `${verdict.program} <<`, verdict);
  verdict.doubts(`${verdict.program} runs the commands it is given as input`);
  verdict.has("execute", `${verdict.program} runs the commands it is given as input`);
}
