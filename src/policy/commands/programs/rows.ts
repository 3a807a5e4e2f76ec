import type { Word } from "../analysis.ts";
import { type ScannedWords, scanWords } from "../options.ts";
import type { Judge, Verdict } from "../verdict.ts";
import { splits, wordAt } from "../word.ts";
import { runPlainScript } from "../wrappers/run-inner.ts";

/** Reads its operands, which are files. */
export function reads(options: string): Judge {
  return (words, verdict) => {
    for (const file of operandsOf(options, words, verdict)) verdict.reads(file);
  };
}

/** Looks at its operands, and shows no content. */
export function looksAt(options: string): Judge {
  return (words, verdict) => {
    for (const file of operandsOf(options, words, verdict)) verdict.looksAt(file);
  };
}

/** Reads its operands, and all that lies below them when told so. */
export function readsTrees(options: string): Judge {
  return (words, verdict) => {
    const { options: found, operands } = judgeOptions(options, words, verdict);
    const isDeep = found.some(({ name }) =>
      /^(?:-[rRN]|--recursive|--(?:unidirectional-)?new-file)$/.test(name),
    );
    for (const file of operands) isDeep ? verdict.readsBelow(file) : verdict.reads(file);
  };
}

/** The same, and `@file` stands for words in that file. */
export function readsAtFiles(options: string): Judge {
  return (words, verdict) => {
    for (const word of words)
      if (typeof word.parts[0] === "string" && word.parts[0].startsWith("@"))
        verdict.reads(wordAt(word, [word.parts[0].slice(1), ...word.parts.slice(1)]));
    for (const file of operandsOf(options, words, verdict)) verdict.reads(file);
  };
}

/**
 * Its first operand is a pattern unless an option (`pattern`) gives it; the others are files, or what lies below them
 * (`deep`), then below the directory if none is named. Options are compared as "name" or "name=value".
 */
export function searches(
  options: string,
  named: { readonly pattern: RegExp; readonly deep: RegExp; readonly otherwise?: "visible" },
): Judge {
  return (words, verdict) => {
    const scan = judgeOptions(options, words, verdict);
    const [pattern] = scan.operands;
    const given = scan.options.map(({ name, value }) => (value ? `${name}=${value.value ?? "."}` : name));
    const has = (options: RegExp) => given.some((option) => options.test(option));
    const isPattern = !has(named.pattern);
    // A pattern that the shell may split brings files along.
    const first = isPattern && pattern !== undefined && !splits(pattern) ? 1 : 0;
    const files = scan.operands.slice(first);
    const extent = has(named.deep) ? "deep" : named.otherwise;
    for (const file of files) extent === undefined ? verdict.reads(file) : verdict.readsBelow(file, extent);
    if (extent !== undefined && files.length === 0) verdict.readsBelow(here(verdict), extent);
  };
}

/** Its operands are only text. */
export function prints(options: string): Judge {
  return (words, verdict) => void operandsOf(options, words, verdict);
}

/** Creates or changes its operands. */
export function writes(options: string): Judge {
  return (words, verdict) => {
    for (const file of operandsOf(options, words, verdict)) verdict.writes(file);
  };
}

/** Its first operand is text, for example a mode or owner, unless an option gives that; it changes the others. */
export function changes(options: string, given: RegExp = /^--reference\b/): Judge {
  return (words, verdict) => {
    const { options: found, operands } = judgeOptions(options, words, verdict);
    const isGiven = [...found.map(({ name }) => name), ...words.map(({ value }) => value ?? "")].some(
      (word) => given.test(word),
    );
    for (const file of operands.slice(isGiven ? 0 : 1)) verdict.writes(file);
  };
}

/** The directory that the command runs in. */
export function here({ command }: Verdict): Word {
  return { text: ".", span: command.span, parts: ["."], value: "." };
}

/** Reads all operands but the last, and writes that; with `-t` it reads all. */
export function copies(options: string): Judge {
  return (words, verdict) => {
    const { options: found, operands } = judgeOptions(options, words, verdict);
    const into = found.some(({ name }) => name === "-t" || name === "--target-directory");
    const target = into ? undefined : operands.at(-1);
    const isDeep = found.some(({ name }) => /^(?:-[rRa]|--recursive|--archive)$/.test(name));
    const sources = into ? operands : operands.slice(0, -1);
    for (const file of sources) isDeep ? verdict.readsBelow(file) : verdict.reads(file);
    if (target !== undefined) verdict.writes(target);
    // Whoever has another name of a file can write it.
    if (found.some(({ name }) => name === "-l" || name === "--link"))
      for (const source of sources) verdict.accesses.push({ kind: "write", target: source });
    // `install -d` makes directories of all.
    if (found.some(({ name }) => name === "-d" || name === "--directory"))
      for (const source of sources) verdict.writes(source);
    writeInto(found.find(({ meaning }) => meaning === "write")?.value ?? target, sources, verdict);
  };
}

/** If the target is a directory, the sources get places in it. */
export function writeInto(directory: Word | undefined, sources: readonly Word[], verdict: Verdict): void {
  for (const { value } of sources) {
    const name = value?.replace(/\/+$/, "").split("/").at(-1);
    if (directory?.value === undefined || !name) continue;
    const path = `${directory.value.replace(/\/+$/, "")}/${name}`;
    verdict.accesses.push({ kind: "write", target: wordAt(directory, [path]) });
  }
}

/** Removes its operands. */
export function deletes(options: string): Judge {
  return (words, verdict) => {
    const files = operandsOf(options, words, verdict);
    for (const file of files) verdict.deletes(file);
    if (files.length === 0) verdict.has("destructive", `${verdict.program} deletes`);
  };
}

/** Does harm that no operand can soften. */
export function destroys(reason: string): Judge {
  return (_words, verdict) => verdict.has("destructive", `${verdict.program} ${reason}`);
}

/** Runs code that its words, its input or its settings name. */
export function runs(reason: string): Judge {
  return (_words, verdict) => verdict.has("execute", `${verdict.program} ${reason}`);
}

/** Talks to the hosts its operands name. */
export function connects(options: string): Judge {
  return (words, verdict) => {
    const hosts = operandsOf(options, words, verdict);
    for (const host of hosts) verdict.connects(host);
    if (hosts.length === 0) verdict.has("network", `${verdict.program} connects to the network`);
  };
}

/** Reads only when asked for its version, else runs code. */
export function interprets(reason: string, short = "--version"): Judge {
  return (words, verdict) => {
    const [only, ...more] = words;
    const asksVersion = only?.value === "--version" || only?.value === short;
    if (!asksVersion || more.length > 0) verdict.has("execute", `${verdict.program} ${reason}`);
  };
}

/** The operands, once the options have been judged. */
function operandsOf(options: string, words: readonly Word[], verdict: Verdict): readonly Word[] {
  return judgeOptions(options, words, verdict).operands;
}

/** Says what the options of a program do. */
export function judgeOptions(
  options: string,
  words: readonly Word[],
  verdict: Verdict,
  operandsStart: "first" | "any" = "any",
): ScannedWords {
  const scan = scanWords(options, words, operandsStart);
  for (const { name, meaning, value, word } of scan.options) {
    const shown = `${verdict.program} ${name}`;
    if (meaning === "run") verdict.has("execute", `${shown} runs a program`, word);
    else if (meaning === "command") runValue(value ?? word, shown, verdict, word);
    else if (meaning === "network") verdict.has("network", `${shown} connects to the network`, word);
    else if (meaning === "write" && value !== undefined) verdict.writes(value, `${shown} writes a file`);
    else if (meaning === "write") verdict.has("write", `${shown} writes`, word);
    else if (meaning === "delete") verdict.has("destructive", `${shown} deletes`, word);
    else if (meaning === "read" && value !== undefined) verdict.reads(value);
  }
  for (const word of scan.unlisted)
    verdict.has("execute", `${verdict.program} ${word.text} is not known to be harmless`, word);
  for (const word of scan.unclear)
    verdict.has(scan.worst, `${word.text} may become an option of ${verdict.program}`, word);
  return scan;
}

/** What an option tells to run is on the list of commands as well, for rules that are about it. */
function runValue(script: Word, shown: string, verdict: Verdict, word: Word): void {
  verdict.has("execute", `${shown} runs a command`, word);
  if (script !== word) runPlainScript(script, shown, verdict);
}
