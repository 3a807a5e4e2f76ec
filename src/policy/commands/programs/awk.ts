import type { Word } from "../analysis.ts";
import type { Judge, Verdict } from "../verdict.ts";
import { judgeOptions } from "./rows.ts";

/** awk programs can run commands and write files; a simple look at the text finds every way, and sometimes too many. */
export const judgeAwk: Judge = (words, verdict) => {
  const list =
    "F=text v=text f=text e=text c P S t V --assign=text --field-separator=text --file=text --source=text --posix --sandbox --version";
  const { options, operands } = judgeOptions(list, words, verdict, "first");
  const programs = options.filter(({ name }) => name === "-e" || name === "--source");
  const files = options.filter(({ name }) => name === "-f" || name === "--file");
  for (const { value, word } of files) {
    if (value !== undefined) verdict.reads(value);
    verdict.has("execute", "awk runs a program from a file, which may write files and run commands", word);
  }
  const given = programs.length > 0 || files.length > 0;
  for (const { value } of programs) if (value !== undefined) judgeProgram(value, verdict);
  if (!given && operands[0] !== undefined) judgeProgram(operands[0], verdict);
  for (const file of given ? operands : operands.slice(1))
    if (!/^[A-Za-z_]\w*=/.test(file.value ?? "")) verdict.reads(file);
};

function judgeProgram(program: Word, verdict: Verdict) {
  const text = program.value;
  if (text === undefined)
    return verdict.has(
      "execute",
      "an awk program that is only known when it runs may write and run",
      program,
    );
  if (/system|@|ARGV|SYMTAB|FUNCTAB/.test(text))
    verdict.has("execute", "the awk program may run commands or choose files", program);
  else if (/\|/.test(withoutPatterns(text).replaceAll("||", "")))
    verdict.has("execute", "the awk program has a pipe", program);
  if (text.lastIndexOf(">") > text.indexOf("print") && text.includes("print"))
    verdict.has("write", "the awk program may print into a file", program);
  if (/getline/.test(text)) verdict.has("execute", "the awk program reads other files or commands", program);
}

/** Strings first; then patterns, where a division cannot stand. */
function withoutPatterns(text: string): string {
  return text
    .replace(/"(?:[^"\\\n]|\\.)*"/g, '""')
    .replace(/(^|[;{}(,!~&|])(\s*)\/(?:[^/\\\n[]|\\.)+\//g, "$1$2");
}
