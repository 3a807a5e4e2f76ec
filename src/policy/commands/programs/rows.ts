import { splits, type Word, wordAt } from "../analysis.ts";
import type { CommandReport, ProgramRule } from "../command-report.ts";
import { type FoundOption, type ScannedWords, scanWords } from "./options.ts";
import { runPlainScript } from "./run-inner.ts";

/** Returns an object with the same value for several names. */
export function each<Value>(names: string, value: Value): Record<string, Value> {
  return Object.fromEntries(names.split(" ").map((name) => [name, value]));
}

/** Rules that treat every operand the same way, by the options of the program. */
export const reads = withEach((file, report) => report.reads(file));
export const writes = withEach((file, report) => report.writes(file));
/** The program shows names and attributes of its operands, but no content. */
export const looksAt = withEach((file, report) => report.looksAt(file));
/** The operands are only text. */
export const prints = withEach(() => {});

function withEach(act: (operand: Word, report: CommandReport) => void): (options: string) => ProgramRule {
  return (options) =>
    scans(options, ({ operands }, report) => {
      for (const operand of operands) act(operand, report);
    });
}

/** Interprets the options of a program, then passes on the sorted words. */
export function scans(
  options: string,
  act: (scan: ScannedWords, report: CommandReport) => void,
): ProgramRule {
  return (words, report) => act(interpretOptions(options, words, report), report);
}

/** Returns a rule for a program that reads its operands, and with a recursive option everything below them. */
export function readsTrees(options: string): ProgramRule {
  return scans(options, ({ has, operands }, report) => {
    const isDeep = has(/^(?:-[rRN]|--recursive|--(?:unidirectional-)?new-file)$/);
    for (const file of operands) isDeep ? report.readsBelow(file) : report.reads(file);
  });
}

/** Returns a rule for a program that reads its operands, where `@file` names a file with further words. */
export function readsAtFiles(options: string): ProgramRule {
  return (words, report) => {
    for (const word of words)
      if (typeof word.parts[0] === "string" && word.parts[0].startsWith("@"))
        report.reads(wordAt(word, [word.parts[0].slice(1), ...word.parts.slice(1)]));
    for (const file of interpretOptions(options, words, report).operands) report.reads(file);
  };
}

/**
 * Returns a rule for a search program. The first operand is the pattern, unless an option (`pattern`) gives it. The
 * others are files, or with `deep` everything below them; without others the current directory is searched. Options are
 * compared as "name" or "name=value".
 */
export function searches(
  options: string,
  named: { readonly pattern: RegExp; readonly deep: RegExp; readonly otherwise?: "visible" },
): ProgramRule {
  return (words, report) => {
    const scan = interpretOptions(options, words, report);
    const [pattern] = scan.operands;
    const given = scan.options.map(({ name, value }) => (value ? `${name}=${value.value ?? "."}` : name));
    const has = (options: RegExp) => given.some((option) => options.test(option));
    const isPattern = !has(named.pattern);
    // A pattern that the shell may split can include files.
    const first = isPattern && pattern !== undefined && !splits(pattern) ? 1 : 0;
    const files = scan.operands.slice(first);
    const extent = has(named.deep) ? "deep" : named.otherwise;
    for (const file of files) extent === undefined ? report.reads(file) : report.readsBelow(file, extent);
    if (extent !== undefined && files.length === 0) report.readsBelow(here(report), extent);
  };
}

/** Returns a rule for a program that changes its operands, after a first one that is text unless an option gives it. */
export function changes(options: string, given: RegExp = /^--reference\b/): ProgramRule {
  return (words, report) => {
    const { options: found, operands } = interpretOptions(options, words, report);
    const isGiven = [...found.map(({ name }) => name), ...words.map(({ value }) => value ?? "")].some(
      (word) => given.test(word),
    );
    for (const file of operands.slice(isGiven ? 0 : 1)) report.writes(file);
  };
}

export function here({ command }: CommandReport): Word {
  return { text: ".", span: command.span, parts: ["."], value: "." };
}

/** Returns a rule for a program that reads all operands but the last, and writes the last. With `-t` it reads all. */
export function copies(options: string): ProgramRule {
  return scans(options, ({ options: found, operands, has }, report) => {
    const into = has(/^(?:-t|--target-directory)$/);
    const target = into ? undefined : operands.at(-1);
    const isDeep = has(/^(?:-[rRa]|--recursive|--archive)$/);
    const sources = into ? operands : operands.slice(0, -1);
    for (const file of sources) isDeep ? report.readsBelow(file) : report.reads(file);
    if (target !== undefined) report.writes(target);
    // A hard link makes the source writable under the new name.
    if (has(/^(?:-l|--link)$/))
      for (const source of sources) report.accesses.push({ kind: "write", target: source });
    // `install -d` creates all operands as directories.
    if (has(/^(?:-d|--directory)$/)) for (const source of sources) report.writes(source);
    writeInto(found.find(({ meaning }) => meaning === "write")?.value ?? target, sources, report);
  });
}

/** Reports that the sources may be written below the target, if it is a directory. */
export function writeInto(
  directory: Word | undefined,
  sources: readonly Word[],
  report: CommandReport,
): void {
  for (const { value } of sources) {
    const name = value?.replace(/\/+$/, "").split("/").at(-1);
    if (directory?.value === undefined || !name) continue;
    const path = `${directory.value.replace(/\/+$/, "")}/${name}`;
    report.accesses.push({ kind: "write", target: wordAt(directory, [path]) });
  }
}

export function deletes(options: string): ProgramRule {
  return scans(options, ({ operands }, report) => {
    for (const file of operands) report.deletes(file);
    if (operands.length === 0) report.has("destructive", `${report.program} deletes`);
  });
}

export function destroys(reason: string): ProgramRule {
  return (_words, report) => report.has("destructive", `${report.program} ${reason}`);
}

export function runs(reason: string): ProgramRule {
  return (_words, report) => report.has("execute", `${report.program} ${reason}`);
}

export function connects(options: string): ProgramRule {
  return scans(options, ({ operands }, report) => {
    for (const host of operands) report.connects(host);
    if (operands.length === 0) report.has("network", `${report.program} connects to the network`);
  });
}

/** Returns a rule for a program that runs code, unless it is only asked for its version. */
export function interprets(reason: string, short = "--version"): ProgramRule {
  return (words, report) => {
    const [only, ...more] = words;
    const asksVersion = only?.value === "--version" || only?.value === short;
    if (!asksVersion || more.length > 0) report.has("execute", `${report.program} ${reason}`);
  };
}

/** Reports the effects of a program's options. */
export function interpretOptions(
  options: string,
  words: readonly Word[],
  report: CommandReport,
  operandsStart: "first" | "any" = "any",
): ScannedWords {
  const scan = scanWords(options, words, operandsStart);
  for (const { name, meaning, value, word } of scan.options) {
    const shown = `${report.program} ${name}`;
    if (meaning === "run") report.has("execute", `${shown} runs a program`, word);
    else if (meaning === "command") {
      report.has("execute", `${shown} runs a command`, word);
      // The command is listed too, for rules about it.
      if (value !== undefined) runPlainScript(value, shown, report);
    } else if (meaning === "network") report.has("network", `${shown} connects to the network`, word);
    else if (meaning === "write" && value !== undefined) report.writes(value, `${shown} writes a file`);
    else if (meaning === "write") report.has("write", `${shown} writes`, word);
    else if (meaning === "delete") report.has("destructive", `${shown} deletes`, word);
    else if (meaning === "read" && value !== undefined) report.reads(value);
  }
  for (const word of scan.unlisted)
    report.has("execute", `${report.program} ${word.text} is not known to be harmless`, word);
  for (const word of scan.unclear)
    report.has(scan.worst, `${word.text} may become an option of ${report.program}`, word);
  return scan;
}

/** Returns the start of the inner command, unless an unlisted option or an expansion makes that uncertain. */
export function innerCommand(
  options: string,
  words: readonly Word[],
  report: CommandReport,
  skip = 0,
): { readonly options: readonly FoundOption[]; readonly words: readonly Word[] } | undefined {
  const scan = interpretOptions(options, words, report, "first");
  const odd = scan.unlisted[0] ?? scan.unclear[0] ?? scan.operands.slice(0, skip).find(splits);
  if (odd === undefined) return { options: scan.options, words: scan.operands.slice(skip) };
  report.doubts(`the start of the command inside ${report.program}, because of ${odd.text}`, odd);
  return undefined;
}
