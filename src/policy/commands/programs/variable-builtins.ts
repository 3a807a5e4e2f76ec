import { isNumeric, splits, type UnknownPart, type Word, wordAt } from "../analysis.ts";
import type { CommandReport, ProgramRule } from "../command-report.ts";
import { interpretOptions } from "./rows.ts";

/** Interprets `export`, `declare` and similar builtins, where `NAME=value` changes later commands. */
export function interpretDeclaration(words: readonly Word[], report: CommandReport) {
  const isOption = ({ parts }: Word) => typeof parts[0] === "string" && /^[-+]/.test(parts[0]);
  const options = words.filter(isOption);
  // A name reference redirects every assignment, and integers are evaluated.
  for (const word of options)
    if (word.value === undefined || /[nicul]/.test(word.value))
      report.doubts(`${report.program} ${word.text} changes what assignments do`, word);
  const array = options.some(({ value }) => /[aA]/.test(value ?? "a"));
  for (const word of words) if (!isOption(word)) interpretDeclared(word, array, report);
}

function interpretDeclared(word: Word, array: boolean, report: CommandReport) {
  const start = typeof word.parts[0] === "string" ? word.parts[0] : "";
  const [, name, text] = /^([A-Za-z_]\w*)(?:\+?=([\s\S]*))?$/.exec(start) ?? [];
  if (name === undefined || (text === undefined && word.value === undefined) || splits(word))
    return report.doubts("a variable whose name may contain a command", word);
  const value = text === undefined ? undefined : wordAt(word, [text, ...word.parts.slice(1)]);
  const { arrays } = report.scope.reading;
  if (array) arrays.add(name);
  if (value !== undefined && isEvaluated(value, array || arrays.has(name), report))
    report.doubts("the text of an array is expanded again, which may run a command", word);
  if (value !== undefined || !/^(?:export|readonly)$/.test(report.program))
    report.sets(name, word, isNumeric(value));
}

/**
 * Returns whether the shell reads the value again: text in parentheses is an array, even from a variable, so
 * `declare -a x='($(id))'` runs `id`.
 */
function isEvaluated(value: Word, array: boolean, { program }: CommandReport): boolean {
  const [start] = value.parts;
  if (typeof start === "string") return start.startsWith("(");
  return start !== undefined && (array || (program !== "local" && program !== "export"));
}

/** Returns a rule for a builtin whose operands name variables that get their values from the input. */
export function interpretNames(
  list: string,
  { skip = 0, alsoOption = "", operands: kind = "names" }: NamesOptions = {},
): ProgramRule {
  return (words, report) => {
    const { options, operands } = interpretOptions(list, words, report);
    const callback = options.find(({ meaning }) => meaning === "command");
    if (callback !== undefined) report.doubts("a callback that may change this shell", callback.word);
    // Bash may use other descriptors for its own files, as in redirections.
    const from = options.find(({ name, value }) => name === "-u" && !/^\d$/.test(value?.value ?? ""));
    if (from !== undefined) report.doubts("a descriptor that the shell may use itself", from.word);
    const named = options.filter(({ name }) => name === alsoOption).flatMap(({ value }) => value ?? []);
    const names = kind === "names" ? [...operands.slice(skip, skip === 1 ? 2 : undefined), ...named] : named;
    for (const word of names) setName(word, report);
  };
}

interface NamesOptions {
  readonly skip?: number;
  readonly alsoOption?: string;
  readonly operands?: "names" | "text";
}

/** Interprets printf, which sets a variable with `-v name` and otherwise prints. */
export function interpretPrintf(words: readonly Word[], report: CommandReport) {
  const [flag, name] = words;
  const start = flag?.parts[0];
  if (typeof start === "object" && start.unknown !== "home")
    report.doubts("a first word of printf that is known only at run time", flag);
  if (typeof start !== "string" || !/^-[^-]/.test(start)) return;
  const attached = flag?.value === undefined ? undefined : flag.value.slice(2);
  if (!start.startsWith("-v") || attached === undefined)
    return report.doubts("an unknown option of printf", flag);
  const word = attached === "" ? name : wordAt(flag!, [attached]);
  if (word !== undefined) setName(word, report);
}

/** Interprets test, where `-v name` evaluates a subscript in the name. A word that is split may become `-v name`. */
export function interpretTestBuiltin(words: readonly Word[], report: CommandReport) {
  words.forEach((word, index) => {
    const before = words[index - 1];
    const looksUp = before !== undefined && /^-[vR]$/.test(before.value ?? "-v");
    if (looksUp && /\[/.test(word.value ?? "["))
      report.doubts("a subscript that may contain a command", word);
    for (const part of word.parts)
      if (typeof part !== "string" && part.splits) interpretSplit(part, word, report);
    if (/^-[bcdefghkprsuwxLSGON]$/.test(before?.value ?? "")) report.looksAt(word);
  });
}

function interpretSplit(part: UnknownPart, word: Word, report: CommandReport): void {
  if (isNumeric(wordAt(word, [part]))) return;
  const [, name] = /^\$\{?([A-Za-z_]\w*)\}?$/.exec(part.text) ?? [];
  if (name === undefined) report.doubts(`${report.program} evaluates words that may contain a command`, word);
  else report.scope.reading.evaluated.push({ name, by: report.program, span: word.span });
}

function setName(word: Word, report: CommandReport) {
  const { value } = word;
  if (value === undefined || !/^[A-Za-z_]\w*$/.test(value))
    return report.doubts("a variable whose name may contain a command", word);
  report.sets(value, word);
}
