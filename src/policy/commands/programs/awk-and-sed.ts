import type { Word } from "../analysis.ts";
import type { CommandReport } from "../command-report.ts";
import { interpretOptions } from "./rows.ts";

/**
 * Interprets awk, whose programs can run commands and write files. A text search finds every way, and some false ones.
 */
export function interpretAwk(words: readonly Word[], report: CommandReport) {
  const list =
    "F=text v=text f=text e=text c P S t V --assign=text --field-separator=text --file=text --source=text --posix --sandbox --version";
  const { options, operands } = interpretOptions(list, words, report, "first");
  const programs = options.filter(({ name }) => name === "-e" || name === "--source");
  const files = options.filter(({ name }) => name === "-f" || name === "--file");
  for (const { value, word } of files) {
    if (value !== undefined) report.reads(value);
    report.has("execute", "awk runs a program from a file, which may write files and run commands", word);
  }
  const given = programs.length > 0 || files.length > 0;
  for (const { value } of programs) if (value !== undefined) interpretProgram(value, report);
  if (!given && operands[0] !== undefined) interpretProgram(operands[0], report);
  for (const file of given ? operands : operands.slice(1))
    if (!/^[A-Za-z_]\w*=/.test(file.value ?? "")) report.reads(file);
}

function interpretProgram(program: Word, report: CommandReport) {
  const text = program.value;
  if (text === undefined)
    return report.has("execute", "an awk program that is known only at run time may write and run", program);
  if (/system|@|ARGV|SYMTAB|FUNCTAB/.test(text))
    report.has("execute", "the awk program may run commands or choose files", program);
  else if (/\|/.test(withoutPatterns(text).replaceAll("||", "")))
    report.has("execute", "the awk program has a pipe", program);
  if (text.lastIndexOf(">") > text.indexOf("print") && text.includes("print"))
    report.has("write", "the awk program may print into a file", program);
  if (/getline/.test(text)) report.has("execute", "the awk program reads other files or commands", program);
}

/** Removes strings first, then patterns in positions where a division is impossible. */
function withoutPatterns(text: string): string {
  return text
    .replace(/"(?:[^"\\\n]|\\.)*"/g, '""')
    .replace(/(^|[;{}(,!~&|])(\s*)\/(?:[^/\\\n[]|\\.)+\//g, "$1$2");
}

/** Interprets sed, which edits files with `-i`. Its scripts can write files (`w`) and run commands (`e`). */
export function interpretSed(words: readonly Word[], report: CommandReport) {
  const list =
    "n E r s u z i?text e=text f=text l=text --quiet --silent --regexp-extended --separate --unbuffered --null-data --zero-terminated --expression=text --file=text --line-length=text --in-place?text --posix --debug --sandbox --follow-symlinks --version";
  const { options, operands } = interpretOptions(list, words, report);
  const named = (...names: string[]) => options.filter(({ name }) => names.includes(name));
  const scripts = named("-e", "--expression").flatMap(({ value }) => value ?? []);
  for (const { word, value } of named("-f", "--file")) {
    if (value !== undefined) report.reads(value);
    report.has("execute", "sed runs a script from a file, which may write files and run commands", word);
  }
  const given = scripts.length > 0 || named("-f", "--file").length > 0;
  const script = given ? undefined : operands[0];
  const files = given ? operands : operands.slice(1);
  // --sandbox applies only to the scripts after it.
  if (words[0]?.value !== "--sandbox")
    for (const each of script === undefined ? scripts : [script]) interpretScript(each, report);
  const inPlace = named("-i", "--in-place").length > 0;
  for (const { value, word } of named("-i", "--in-place"))
    if (/[/*]/.test(value === undefined ? "" : (value.value ?? "*")))
      report.doubts("a backup name of sed -i that may lead to another directory", word);
  for (const file of files) inPlace ? report.writes(file, `sed -i changes ${file.text}`) : report.reads(file);
}

function interpretScript(script: Word, report: CommandReport) {
  if (script.value === undefined)
    return report.has("execute", "a sed script that is known only at run time may write and run", script);
  const found = harmfulCommands(script.value);
  if (found === undefined)
    return report.has("execute", "a sed script that is not understood may write and run", script);
  for (const { does, file } of found) {
    if (does === "run") report.has("execute", "the sed script runs a command (e)", script);
    const target = { ...script, parts: [file], value: file };
    if (does === "write") report.writes(target, `the sed script writes ${file} (w)`);
    if (does === "read") report.reads(target);
  }
}

interface Found {
  readonly does: "run" | "write" | "read";
  readonly file: string;
}

/** Finds the commands and files of a sed script. Returns undefined when the script is not understood. */
function harmfulCommands(script: string): Found[] | undefined {
  const found: Found[] = [];
  let rest = script;
  while (rest !== "") {
    const command = next(rest);
    if (command === undefined) return undefined;
    if (command.found !== undefined) found.push(command.found);
    rest = rest.slice(command.length);
  }
  return found;
}

// A slash inside brackets is not accepted, because sed and this pattern would disagree about the end of the regex.
// Each text matches in only one way, so that no input causes backtracking.
const bracket = String.raw`\[(?:\^[^\n/]|[^^\n/])[^\]\n/]*\]`;
const regex = String.raw`\/(?:[^\\/\n[]|\\[^\n]|${bracket})*\/[IM]*`;
const address = String.raw`(?:\d+(?:~\d+)?|\$|${regex})`;
const addresses = String.raw`(?:${address}(?:\s*,\s*(?:${address}|[+~]\d+))?\s*!?\s*)?`;
/** Matches blanks and separators, then a command without arguments up to the end of the command. */
const simple = new RegExp(
  String.raw`^[\s;]*${addresses}(?:[=dDgGhHnNpPxzF]|[lLqQ]\s*\d*|[{}]|#[^\n]*)?(?=\s*(?:[;}\n#]|$)|(?<=[{}]))`,
);
const labelled = new RegExp(
  String.raw`^[\s;]*${addresses}(?::\s*[\w-]+|[btT](?:[ \t]*[\w-]+)?)[ \t]*(?=[;}\n]|$)`,
);
const texted = new RegExp(String.raw`^[\s;]*${addresses}[aic](?:[^\\\n]|\\[\s\S])*(?:\n|$)`);
const filed = new RegExp(String.raw`^[\s;]*${addresses}([rRwW])[ \t]*([^\n;}]*)(?:\n|$)`);
const running = new RegExp(String.raw`^[\s;]*${addresses}e`);
const substitution = new RegExp(String.raw`^[\s;]*${addresses}([sy])([^\w\s\\])`);

function next(script: string): { readonly length: number; readonly found?: Found } | undefined {
  const plain = simple.exec(script)?.[0] || labelled.exec(script)?.[0];
  if (plain !== undefined && plain !== "") return { length: plain.length };
  if (running.test(script)) return { length: script.length, found: { does: "run", file: "" } };
  const file = filed.exec(script);
  if (file !== null) {
    const does = /[rR]/.test(file[1]!) ? "read" : "write";
    return { length: file[0].length, found: { does, file: file[2]! } };
  }
  const start = substitution.exec(script);
  if (start !== null) return substitute(script, start[0].length, start[2]!);
  const text = texted.exec(script)?.[0];
  return text === undefined ? undefined : { length: text.length };
}

/** Reads `s/from/to/flags`, where the flag `e` runs a command and `w file` writes. */
function substitute(script: string, begin: number, mark: string): ReturnType<typeof next> {
  let at = begin;
  for (let fields = 0; fields < 2; at++) {
    if (at >= script.length) return undefined;
    if (script[at] === "\\") at++;
    // Versions of sed differ about a delimiter inside brackets.
    else if (script[at] === "[" && fields === 0) {
      const end = script.indexOf("]", at + (script[at + 1] === "^" ? 3 : 2));
      if (end < 0 || script.slice(at, end).includes(mark)) return undefined;
      at = end;
    } else if (script[at] === mark) fields++;
  }
  const flags = /^(?:[gpiIM]|\d+)*/.exec(script.slice(at))?.[0] ?? "";
  const after = script.slice(at + flags.length);
  if (/^\s*(?:[;}\n#]|$)/.test(after)) return { length: at + flags.length };
  if (after.startsWith("e")) return { length: script.length, found: { does: "run", file: "" } };
  const file = /^w[ \t]*([^\n]*)(?:\n|$)/.exec(after);
  if (file === null) return undefined;
  return { length: at + flags.length + file[0].length, found: { does: "write", file: file[1]! } };
}
