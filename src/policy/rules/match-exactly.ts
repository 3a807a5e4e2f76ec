import type { Segment } from "../../lib/glob/glob-segment.ts";
import { oncePerObject } from "../../lib/once-per-object.ts";
import {
  type Assignment,
  type Effect,
  makeWord,
  type SimpleCommand,
  type Word,
} from "../commands/analysis.ts";
import { namesIn } from "../paths/path-names.ts";
import { matchNames } from "../paths/path-pattern.ts";
import { wordPath } from "../paths/path-target.ts";
import type { PathContext } from "../policy.ts";
import type { CommandPattern, ProgramPattern, WordPattern } from "./command-pattern.ts";
import { harm, ownRisk, sameSpan, smuggledEffects, spanKey, spansOf } from "./command-risk.ts";
import { gitSubcommandAt } from "./spellings.ts";

/**
 * Returns whether an allow rule covers a command. The words must match one by one, without extra words. A word with an
 * unusual effect (`sort --compress-program=x`) must be spelled out in the rule.
 */
export function matchExactly(pattern: CommandPattern, command: SimpleCommand, context: PathContext): boolean {
  if (pattern.kind === "class") return harm(ownRisk(command)) <= harm(pattern.risk);
  const [program, ...words] = command.words;
  if (program === undefined || !isProgram(pattern.program, program, command, context)) return false;
  const { cover, harmful } = nature(command);
  if (cover === "nothing") return false;
  return (
    matchWords(pattern.words, words, (word) => cover === "spelled out" || harmful.has(word)) &&
    matchAssignments(pattern.assignments, command, cover) &&
    startsInWorkspace(command, context)
  );
}

/** Compares the variables before a command. The rule may omit those that do not change what runs. */
function matchAssignments(
  patterns: readonly WordPattern[],
  command: SimpleCommand,
  cover: Coverage,
): boolean {
  const { assignments, effects } = command;
  const matters = ({ span }: Assignment) => effects.some((effect) => sameSpan(effect.span, span));
  if (patterns.length === 0) return !assignments.some(matters);
  const words = assignments.map(({ name, value, span }): Word => {
    if (value !== undefined)
      return makeWord(`${name}=${value.text}`, value.span, [`${name}=`, ...value.parts]);
    return { text: `${name}=`, span, parts: [`${name}=`], value: undefined };
  });
  return matchWords(patterns, words, () => cover === "spelled out");
}

/** Returns whether a command starts in a known directory: a program that runs code must start inside the workspace. */
function startsInWorkspace(command: SimpleCommand, context: PathContext): boolean {
  if (harm(ownRisk(command)) < harm("execute")) return true;
  const { directory } = command;
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
  const target = wordPath(word, command.directory, context, new Map());
  if (target.kind !== "known" || !word.value.includes("/")) return false;
  const names = namesIn(target.path);
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
      return !spelled && (word.value !== undefined || (isPlainWord(word) && !word.parts.some(mayBeSeveral)));
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

/** Returns whether a word cannot become an option: its beginning is known, and its unknown parts are not split. */
function isPlainWord(word: Word): boolean {
  if (word.value !== undefined) return true;
  const [first] = word.parts;
  const starts =
    typeof first === "string" ? first !== "" && !first.startsWith("-") : first?.unknown === "home";
  return (
    starts &&
    word.parts.every(
      (part) =>
        typeof part === "string" || !part.splits || part.unknown === "glob" || part.unknown === "home",
    )
  );
}

function mayBeSeveral(part: Word["parts"][number]): boolean {
  return typeof part === "object" && part.splits && part.unknown !== "home";
}

/** Returns how a rule can cover a command, and the words that no wildcard covers. Cached for all rules. */
const nature = oncePerObject((command: SimpleCommand) => {
  const smuggled = smuggledEffects(command);
  return { cover: coverage(command, smuggled), harmful: harmfulWords(command, smuggled) };
});

type Coverage = "words" | "spelled out" | "nothing";

/**
 * Returns how a rule can cover a command. "spelled out" means that only a rule without wildcards covers it, because its
 * effect cannot be assigned to one of its words; "nothing" that none of its words shows one of its effects.
 */
function coverage(command: SimpleCommand, smuggled: readonly Effect[]): Coverage {
  const { span, words, assignments, effects } = command;
  const own = spansOf([command, ...words, ...assignments]);
  if (!smuggled.every((effect) => own.has(spanKey(effect.span)))) return "nothing";
  const isBlurred = words.length > 1 && sameSpan(words[1]!.span, span);
  return isBlurred && effects.some(({ risk }) => harm(risk) >= harm("execute")) ? "spelled out" : "words";
}

function harmfulWords(command: SimpleCommand, smuggled: readonly Effect[]): ReadonlySet<Word> {
  const subcommand = gitSubcommand(command);
  const spans = spansOf(smuggled);
  const isDestructive =
    subcommand !== undefined &&
    smuggled.some(({ risk, span }) => risk === "destructive" && sameSpan(span, subcommand.span));
  return new Set(
    command.words.slice(1).filter((word) => {
      if (word === subcommand) return false;
      // Options make the difference between `push` and `push --force`.
      return spans.has(spanKey(word.span)) || (isDestructive && /^[-+:]/.test(word.value ?? "-"));
    }),
  );
}

/** Returns git's first operand, which determines what it does. */
function gitSubcommand({ program, words }: SimpleCommand): Word | undefined {
  if (program !== "git") return undefined;
  const at = gitSubcommandAt(words.map(({ value }) => value ?? "-"));
  return at === undefined ? undefined : words[at];
}
