import { posix } from "node:path";
import type { SimpleCommand, Word } from "../../engine/policy/commands/command.ts";
import { mustBeSpelled } from "../../engine/policy/commands/names.ts";
import type { Segment } from "../../lib/glob/glob-segment.ts";
import { namesIn } from "../paths/path-names.ts";
import { matchNames } from "../paths/path-pattern.ts";
import type { PathContext } from "../policy.ts";
import type { CommandPattern, ProgramPattern, WordPattern } from "./command-pattern.ts";
import { harm } from "./command-risk.ts";

/**
 * Returns whether an allow rule covers a command, which must be plain. The words must match one by one, without extra
 * words. A word with which a command does much more (`git push --force`) must be spelled out in the rule.
 */
export function matchExactly(pattern: CommandPattern, command: SimpleCommand, context: PathContext): boolean {
  if (!command.isPlain || !startsInWorkspace(command, context)) return false;
  if (pattern.kind === "class") return harm(command.risk) <= harm(pattern.risk) && !setsVariables(command);
  const [program, ...words] = command.words;
  if (program === undefined || !isProgram(pattern.program, program, command, context)) return false;
  const isHarmful = (word: Word) => mustBeSpelled(command, word);
  return matchWords(pattern.words, words, isHarmful) && matchAssignments(pattern.assignments, command);
}

/** Compares the variables before a command. The rule may omit those that do not change what runs. */
function matchAssignments(patterns: readonly WordPattern[], command: SimpleCommand): boolean {
  if (patterns.length === 0) return !setsVariables(command);
  const words = command.assignments.map(({ name, value, span }): Word => {
    const text = `${name}=${value?.value ?? ""}`;
    return { text, span, value: value?.value === undefined ? undefined : text, start: text, isInHome: false };
  });
  return matchWords(patterns, words, () => false);
}

function setsVariables({ assignments }: SimpleCommand): boolean {
  return assignments.some(({ name }) => !harmless.test(name));
}

/** Variables that change only how much is printed, the language or colours, or the kind of run. */
const harmless =
  /^(?:LANG|LC_(?!ALL_)\w+|TZ|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR(?:_FORCE)?|CI|DEBUG|VERBOSE|LOG_LEVEL|RUST_LOG|RUST_BACKTRACE|NODE_ENV|RAILS_ENV|RACK_ENV|APP_ENV|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PORT|HOST|TIMEOUT|SEED|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|SOURCE_DATE_EPOCH)$/;

/** Returns whether a command starts in a known directory: a program that runs code must start inside the workspace. */
function startsInWorkspace(command: SimpleCommand, context: PathContext): boolean {
  const { directory, risk } = command;
  if (harm(risk) < harm("execute") && command.program !== "git") return true;
  if (directory === undefined) return false;
  if (!directory.startsWith("/")) return !directory.split("/").includes("..");
  return directory === context.workspace || directory.startsWith(`${context.workspace}/`);
}

/** Compares the program. A name without a slash means a system program, and a path the file that it leads to. */
function isProgram(
  { word: pattern, file }: ProgramPattern,
  word: Word,
  command: SimpleCommand,
  context: PathContext,
): boolean {
  if (word.value === undefined) return false;
  if (pattern.kind === "one word" || pattern.kind === "any words") return true;
  if (file === undefined && pattern.kind === "literal") return command.program === pattern.text;
  if (file === undefined) return matchWord(pattern, { ...word, value: command.program }, false);
  if (!word.value.includes("/")) return false;
  const path = word.isInHome ? word.value.replace("~", context.home) : word.value;
  const names = namesIn(posix.resolve(context.workspace, command.directory ?? "", path));
  return file.some((segments) => matchNames(segments, names, "whole"));
}

/** Backtracks only to the last `**`, because that one can match anything that an earlier one could. */
function matchWords(
  patterns: readonly WordPattern[],
  words: readonly Word[],
  mustBeSpelled: (word: Word) => boolean,
): boolean {
  let at = 0;
  let index = 0;
  let stars = -1;
  let starsIndex = 0;
  while (index < words.length) {
    const pattern = patterns[at];
    const word = words[index]!;
    if (pattern?.kind === "any words") {
      stars = at;
      starsIndex = index;
      at += 1;
    } else if (pattern !== undefined && matchWord(pattern, word, mustBeSpelled(word))) {
      at += 1;
      index += 1;
    } else {
      const taken = words[starsIndex];
      if (stars < 0 || taken === undefined || mustBeSpelled(taken) || !isPlainWord(taken)) return false;
      starsIndex += 1;
      index = starsIndex;
      at = stars + 1;
    }
  }
  while (patterns[at]?.kind === "any words") at += 1;
  return at === patterns.length;
}

function matchWord(pattern: WordPattern, word: Word, spelled: boolean): boolean {
  switch (pattern.kind) {
    case "literal":
      return word.value === pattern.text;
    case "one word":
      return !spelled && word.value !== undefined;
    case "glob":
      if (word.value === undefined || (spelled && !spellsOption(pattern.text, word.value))) return false;
      return matchText(pattern.names, word.value);
    case "any words":
      return false;
  }
}

/** Compares text with a glob in which a star stops at slashes and never matches "..". */
function matchText(names: readonly Segment[], value: string): boolean {
  return matchNames(names, value.split("/"), "whole") && !value.split("/").includes("..");
}

/** Returns whether a pattern spells out an option, as `--pre=*` does, although not its value. */
function spellsOption(pattern: string, value: string): boolean {
  const end = value.indexOf("=") + 1;
  return end > 0 && value.startsWith("-") && pattern.startsWith(value.slice(0, end));
}

/** Returns whether a word cannot become an option: of a pattern, the beginning is known. */
function isPlainWord({ value, start }: Word): boolean {
  return value !== undefined || (start !== "" && !start.startsWith("-"));
}
