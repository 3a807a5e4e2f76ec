import { matchSegment, type Token } from "../../lib/glob/glob-segment.ts";
import type { SimpleCommand, Word } from "../commands/analysis.ts";
import { waysToMeet } from "../paths/meet-tokens.ts";
import { beginsOption, isText, type Match, matchOption } from "./match-option.ts";
import { harm } from "./own-risk.ts";
import {
  baseName,
  type CommandPattern,
  isSpelled,
  type ProgramPattern,
  type SpelledPattern,
  type WordPattern,
} from "./run-rule.ts";

/**
 * Whether a rule that asks or denies is about a command. The rule is a beginning: more words may follow. Its operands must
 * come in order, with nothing but options and their values in between; its options may stand anywhere, be written together
 * or apart, short or long.
 */
export function matchLoosely(pattern: CommandPattern, command: SimpleCommand): Match {
  if (pattern.kind === "class") return harm(command.risk) >= harm(pattern.risk) ? "yes" : "no";
  const [program, ...words] = command.words;
  if (program === undefined) return "no";
  const name = matchProgram(pattern.program, program);
  if (name === "no") return "no";
  const found = pattern.options.map((option) => matchOption(option, words));
  return [name, matchOperands(pattern.operands, words), ...found].reduce(weaker);
}

function weaker(one: Match, other: Match): Match {
  if (one === "no" || other === "no") return "no";
  return one === "yes" ? other : one;
}

/** The name counts, whatever directory it is called in. */
function matchProgram({ word: pattern, name }: ProgramPattern, word: Word): Match {
  if (!isSpelled(pattern)) return "yes";
  if (word.value === undefined) return mayBecome(pattern, word) ? "maybe" : "no";
  const value = baseName(word.value);
  if (pattern.kind === "literal") return name === value ? "yes" : "no";
  return matchSegment(pattern.whole, value) || matchSegment(pattern.whole, word.value) ? "yes" : "no";
}

/** How far in the operands one can be after each word, and how sure that is. */
function matchOperands(patterns: readonly WordPattern[], words: readonly Word[]): Match {
  let states = new States(patterns);
  states.reach(0, { afterOption: false, sure: true });
  for (const word of words) {
    if (states.best() === "yes") return "yes";
    const next = new States(patterns);
    for (const state of states.all()) step(patterns, state, word, next);
    states = next;
  }
  return states.best();
}

interface State {
  readonly at: number;
  /** The word may be the value of the option before it. */
  readonly afterOption: boolean;
  readonly sure: boolean;
}

/** A set of states: four for each place in the patterns. */
class States {
  readonly #patterns: readonly WordPattern[];
  readonly #reached: Uint8Array;

  constructor(patterns: readonly WordPattern[]) {
    this.#patterns = patterns;
    this.#reached = new Uint8Array((patterns.length + 1) * 4);
  }

  /** Two stars may stand for no word. */
  reach(at: number, { afterOption, sure }: Omit<State, "at">): void {
    for (let place = at; ; place += 1) {
      this.#reached[place * 4 + (afterOption ? 2 : 0) + (sure ? 1 : 0)] = 1;
      if (this.#patterns[place]?.kind !== "any words") return;
    }
  }

  *all(): Iterable<State> {
    for (let index = 0; index < this.#reached.length; index += 1)
      if (this.#reached[index] === 1)
        yield { at: index >> 2, afterOption: (index & 2) > 0, sure: (index & 1) > 0 };
  }

  /** What is known of the end: words that follow do not matter. */
  best(): Match {
    const [maybe, yes, maybeAfter, yesAfter] = this.#reached.subarray(-4);
    if (yes || yesAfter) return "yes";
    return maybe || maybeAfter ? "maybe" : "no";
  }
}

function step(patterns: readonly WordPattern[], state: State, word: Word, next: States): void {
  const { at, afterOption, sure } = state;
  const pattern = patterns[at];
  if (pattern === undefined || pattern.kind === "any words") next.reach(at, state);
  if (pattern === undefined) return;
  const match = matchOperand(pattern, word);
  if (match !== "no") next.reach(at + 1, { afterOption: false, sure: sure && match === "yes" });
  const option = beginsOption(word);
  if (option !== "no") next.reach(at, { afterOption: true, sure: sure && option === "yes" });
  else if (afterOption) next.reach(at, { afterOption: false, sure });
  // What is cut into words, or vanishes, may be none, or several that end with the one looked for.
  if (word.parts.some((part) => typeof part === "object" && part.splits))
    next.reach(at, { afterOption, sure: false });
}

function matchOperand(pattern: WordPattern, word: Word): Match {
  if (!isSpelled(pattern)) return "yes";
  if (word.value === undefined) return mayBecome(pattern, word) ? "maybe" : "no";
  return [word.value, plainPath(word.value)].some((value) => isText(pattern, value)) ? "yes" : "no";
}

/** `//`, `/.` and `./x` are only other spellings of `/` and `x`. */
function plainPath(value: string): string {
  const short = value
    .replace(/\/{2,}/g, "/")
    .replace(/\/(?:\.\/)+/g, "/")
    .replace(/\/\.?$/, "")
    .replace(/^(?:\.\/)+/, "");
  return short === "" && value.startsWith("/") ? "/" : short;
}

/** Whether what is not known yet could make the word fit. */
function mayBecome(pattern: SpelledPattern, word: Word): boolean {
  if (word.text.length > 1000) return true;
  const tokens = word.parts.flatMap((part) => (typeof part === "string" ? lettersOf(part) : anything));
  const wanted = pattern.kind === "glob" ? pattern.whole.tokens : lettersOf(pattern.text);
  return tokens.length === 0 || waysToMeet(wanted, tokens) !== 0;
}

const anything: readonly Token[] = ["*"];

function lettersOf(text: string): readonly Token[] {
  return [...text].map((character) => ({ code: character.codePointAt(0)! }));
}
