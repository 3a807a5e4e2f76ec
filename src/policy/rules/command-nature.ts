import type { Effect, SimpleCommand, Word } from "../commands/analysis.ts";
import { harm, sameSpan, smuggledEffects, spanKey, spansOf } from "./own-risk.ts";

/** What there is in a command that a rule cannot allow by a wildcard. */
export interface Nature {
  readonly cover: Coverage;
  /** Words that make it do what it does not usually do. */
  readonly harmful: ReadonlySet<Word>;
}

/** Asked for each rule, found out once. */
const natures = new WeakMap<SimpleCommand, Nature>();

export function nature(command: SimpleCommand): Nature {
  const known = natures.get(command);
  if (known !== undefined) return known;
  const smuggled = smuggledEffects(command);
  const found = { cover: coverage(command, smuggled), harmful: harmfulWords(command, smuggled) };
  natures.set(command, found);
  return found;
}

export type Coverage = "words" | "spelled out" | "nothing";

/**
 * "spelled out": only a rule without wildcards covers it, because where its harm comes from cannot be told from where the
 * words stand. "nothing": it does something that none of its words says.
 */
function coverage(command: SimpleCommand, smuggled: readonly Effect[]): Coverage {
  const { span, words, assignments, effects } = command;
  const isBlurred = words.length > 1 && sameSpan(words[1]!.span, span);
  if (isBlurred && effects.some(({ risk }) => harm(risk) >= harm("execute"))) return "spelled out";
  const places = spansOf([command, ...words, ...assignments]);
  return smuggled.every((effect) => places.has(spanKey(effect.span))) ? "words" : "nothing";
}

/** Words that make a command do what it does not usually do. */
function harmfulWords(command: SimpleCommand, smuggled: readonly Effect[]): ReadonlySet<Word> {
  const subcommand = gitSubcommand(command);
  const places = spansOf(smuggled);
  const isDestructive =
    subcommand !== undefined &&
    smuggled.some(({ risk, span }) => risk === "destructive" && sameSpan(span, subcommand.span));
  return new Set(
    command.words.slice(1).filter((word) => {
      if (word === subcommand) return false;
      // Options make the difference between `push` and `push --force`.
      return places.has(spanKey(word.span)) || (isDestructive && /^[-+:]/.test(word.value ?? "-"));
    }),
  );
}

/** git's first operand says what it does, as the program's name does elsewhere. */
function gitSubcommand({ program, words }: SimpleCommand): Word | undefined {
  if (program !== "git") return undefined;
  const values = words.map(({ value }) => value ?? "-");
  return words.find(
    (_word, place) => place > 0 && !values[place]!.startsWith("-") && !/^-[cC]$/.test(values[place - 1]!),
  );
}
