import type { Word } from "../analysis.ts";
import type { Judge } from "../verdict.ts";
import { innerCommand } from "./inner-command.ts";
import { runWords } from "./run-inner.ts";

const list =
  "0 o p r t x a=read d=text E=text e?text I=text i?text L=text l?text n=text P=text s=text --null --open-tty --interactive --no-run-if-empty --verbose --exit --arg-file=read --delimiter=text --eof?text --replace?text --max-lines?text --max-args=text --max-procs=text --max-chars=text";

/** The command gets what stands in the input as further words, or in place of a mark. */
export const judgeXargs: Judge = (words, verdict) => {
  const found = innerCommand(list, words, verdict);
  if (found === undefined || found.words.length === 0) return;
  const { options, words: inner } = found;
  const marks = options.filter(({ name }) => /^(?:-[Ii]|--replace)$/.test(name));
  const mark = marks.length === 0 ? undefined : (marks.at(-1)?.value?.value ?? "{}");
  const end = inner.at(-1)!.span.end;
  const more: Word = {
    text: "(input)",
    span: { start: end, end },
    parts: [input("", true)],
    value: undefined,
  };
  const filled = mark === undefined ? [...inner, more] : inner.map((word) => fillIn(word, mark));
  runWords(filled, "xargs", verdict);
};

function fillIn(word: Word, mark: string): Word {
  if (mark === "" || !(word.value ?? word.text).includes(mark)) return word;
  return { ...word, parts: [input(word.text, false)], value: undefined };
}

function input(text: string, splits: boolean): Exclude<Word["parts"][number], string> {
  return { unknown: "input", text, splits };
}
