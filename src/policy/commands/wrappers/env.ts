import type { Word } from "../analysis.ts";
import type { Judge, Verdict } from "../verdict.ts";
import { innerCommand } from "./inner-command.ts";
import { runWords } from "./run-inner.ts";

const list =
  "i 0 v u=text C=read S=text --ignore-environment --null --unset=text --chdir=read --split-string=text --debug --version --default-signal --ignore-signal --block-signal --list-signal-handling";

/** `env NAME=value program words`; with `-S` a whole command stands in one word. */
export const judgeEnv: Judge = (words, verdict) => {
  // A lone dash is `-i`.
  const inner = innerCommand(
    list,
    words.filter((word, place) => word.value !== "-" || words.slice(0, place).some(isOperand)),
    verdict,
  );
  if (inner === undefined) return;
  const split = inner.options.find(({ name }) => name === "-S" || name === "--split-string");
  const all = split === undefined ? [] : splitString(split.value, split.word, verdict);
  const moves = inner.options.some(({ name }) => name === "-C" || name === "--chdir");
  runWithVariables([...all, ...inner.words], split === undefined ? "env" : "env -S", verdict, moves);
};

function runWithVariables(words: readonly Word[], via: string, verdict: Verdict, moves: boolean): void {
  const start = words.findIndex(({ parts }) => typeof parts[0] !== "string" || !/^[^=]*=/.test(parts[0]));
  for (const word of start < 0 ? words : words.slice(0, start)) verdict.passes(word);
  if (start >= 0) runWords(words.slice(start), via, verdict, moves ? "elsewhere" : "own");
}

/** The string has quotes, escapes, variables and options of env's own; only plain words are followed. */
function splitString(value: Word | undefined, word: Word, verdict: Verdict): Word[] {
  const text = value?.value;
  if (text === undefined || /[\\'"$#\v\f\r\n]|(?:^|\s)-/.test(text)) {
    verdict.doubts("the command in env -S", word);
    return [];
  }
  const pieces = text.split(/[ \t]+/).filter((piece) => piece !== "");
  return pieces.map((piece) => ({ text: piece, span: word.span, parts: [piece], value: piece }));
}

function isOperand({ parts }: Word): boolean {
  return typeof parts[0] !== "string" || !parts[0].startsWith("-");
}
