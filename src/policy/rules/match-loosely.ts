import { matchSegment, type Token } from "../../lib/glob/glob-segment.ts";
import { type SimpleCommand, type Word, wordAt } from "../commands/analysis.ts";
import type { ReadCommand } from "../parts.ts";
import { waysToMeet } from "../paths/meet.ts";
import {
  baseName,
  type CommandPattern,
  isSpelled,
  type ProgramPattern,
  type SpelledPattern,
  type WordPattern,
} from "./command-pattern.ts";
import { harm, ownRisk } from "./command-risk.ts";
import type { NamedRules } from "./compile-policy.ts";
import type { CommandRule } from "./rule.ts";
import {
  gitCommands,
  gitSubcommandAt,
  meaningOf,
  programName,
  programNames,
  type Spelling,
  usualForm,
} from "./spellings.ts";

/**
 * Returns whether an ask or deny rule matches a command. The rule is a prefix: more words may follow. Its operands must
 * come in order, with only options and their values between them. Its options may come anywhere, combined or separate,
 * short or long. Aliases, abbreviations and other forms of a command match like the command itself.
 */
export function matchLoosely(pattern: CommandPattern, command: SimpleCommand): Match {
  if (pattern.kind === "class") return harm(command.risk) >= harm(pattern.risk) ? "yes" : "no";
  const asWritten = matchForm(pattern, command.words);
  const usual = usualWords(command);
  if (asWritten === "yes" || (usual === undefined && pattern.usual === undefined)) return asWritten;
  const asUsual = matchForm(pattern.usual ?? pattern, usual ?? command.words);
  return asUsual === "no" ? asWritten : asUsual;
}

function matchForm(pattern: CommandPattern, [program, ...words]: readonly Word[]): Match {
  if (pattern.kind === "class" || program === undefined) return "no";
  const name = matchProgram(pattern.program, program);
  if (name === "no") return "no";
  const found = pattern.options.map((option) => matchOption(option, words));
  const operands = matchOperands(pattern.operands, words, nameOf(program));
  return [name, operands, ...found].reduce(weaker);
}

function nameOf(program: Word | undefined): string | undefined {
  return program?.value === undefined ? undefined : programName(baseName(program.value));
}

/** Returns the names of the program, for finding the rules about it. */
export function namesOf(command: SimpleCommand): readonly string[] {
  const [first] = command.words;
  if (first?.value === undefined) return [];
  const usual = nameOf(usualWords(command)?.[0]);
  const names = programNames(baseName(first.value));
  return usual === undefined || names.includes(usual) ? names : [...names, usual];
}

/** Returns the words of a command in its usual form, if it is written in another. */
function usualWords({ words }: SimpleCommand): readonly Word[] | undefined {
  const program = nameOf(words[0]);
  if (program === undefined) return undefined;
  return program === "git" ? aliasedWords(words) : usualForm(program, words, commandSpelling);
}

const commandSpelling: Spelling<Word> = {
  textOf: ({ value }) => value,
  make: (text, word) => wordAt(word, [text]),
};

/** Makes a word unknown that is not a subcommand of git, because an alias can stand for any words. */
function aliasedWords(words: readonly Word[]): readonly Word[] | undefined {
  const at = gitSubcommandAt(words.map(({ value }) => value));
  const word = at === undefined ? undefined : words[at];
  if (word?.value === undefined || gitCommands.has(word.value)) return undefined;
  return words.with(at!, wordAt(word, [{ unknown: "variable", text: word.text, splits: true }]));
}

function weaker(one: Match, other: Match): Match {
  if (one === "no" || other === "no") return "no";
  return one === "yes" ? other : one;
}

/** Compares the name, in whatever directory the program is. */
function matchProgram({ word: pattern, name }: ProgramPattern, word: Word): Match {
  if (!isSpelled(pattern)) return "yes";
  if (word.value === undefined) return mayBecome(pattern, word) ? "maybe" : "no";
  const value = baseName(word.value);
  if (pattern.kind === "literal") return name === programName(value) ? "yes" : "no";
  return matchSegment(pattern.whole, value) || matchSegment(pattern.whole, word.value) ? "yes" : "no";
}

/**
 * Compares the operands. Tracks the possible positions in the patterns after each word, and whether they are certain.
 */
function matchOperands(
  patterns: readonly WordPattern[],
  words: readonly Word[],
  program: string | undefined,
): Match {
  let states = new States(patterns);
  states.add(0, { afterOption: false, sure: true });
  for (const word of words) {
    if (states.best() === "yes") return "yes";
    const next = new States(patterns);
    for (const state of states.all()) {
      const pattern = patterns[state.at];
      const match = pattern && matchOperand(pattern, word, state.at === 0 ? program : undefined);
      step(pattern, state, { word, match: match ?? "no" }, next);
    }
    states = next;
  }
  return states.best();
}

interface State {
  readonly at: number;
  /** Whether the word may be the value of the option before it. */
  readonly afterOption: boolean;
  readonly sure: boolean;
}

/** A set of states: four for each position in the patterns. */
class States {
  readonly #patterns: readonly WordPattern[];
  readonly #reached: Uint8Array;

  constructor(patterns: readonly WordPattern[]) {
    this.#patterns = patterns;
    this.#reached = new Uint8Array((patterns.length + 1) * 4);
  }

  /** Adds a state, and the states after each `**`, which may match no word. */
  add(at: number, { afterOption, sure }: Omit<State, "at">): void {
    for (let index = at; ; index += 1) {
      this.#reached[index * 4 + (afterOption ? 2 : 0) + (sure ? 1 : 0)] = 1;
      if (this.#patterns[index]?.kind !== "any words") return;
    }
  }

  *all(): Iterable<State> {
    for (let index = 0; index < this.#reached.length; index += 1)
      if (this.#reached[index] === 1)
        yield { at: index >> 2, afterOption: (index & 2) > 0, sure: (index & 1) > 0 };
  }

  /** Returns the match at the end. Words after it do not matter. */
  best(): Match {
    const [maybe, yes, maybeAfter, yesAfter] = this.#reached.subarray(-4);
    if (yes || yesAfter) return "yes";
    return maybe || maybeAfter ? "maybe" : "no";
  }
}

function step(
  pattern: WordPattern | undefined,
  state: State,
  { word, match }: { readonly word: Word; readonly match: Match },
  next: States,
): void {
  const { at, afterOption, sure } = state;
  if (pattern === undefined || pattern.kind === "any words") next.add(at, state);
  if (pattern === undefined) return;
  if (match !== "no") next.add(at + 1, { afterOption: false, sure: sure && match === "yes" });
  const option = beginsOption(word);
  if (option !== "no") next.add(at, { afterOption: true, sure: sure && option === "yes" });
  else if (afterOption) next.add(at, { afterOption: false, sure });
  // A word that the shell splits may become no word, or several that end with the wanted one.
  if (word.parts.some((part) => typeof part === "object" && part.splits))
    next.add(at, { afterOption, sure: false });
}

/** Compares a word, which may be a subcommand of `program`. */
function matchOperand(pattern: WordPattern, word: Word, program: string | undefined): Match {
  if (!isSpelled(pattern)) return "yes";
  if (word.value === undefined) return mayBecome(pattern, word) ? "maybe" : "no";
  if ([word.value, plainPath(word.value)].some((value) => isText(pattern, value))) return "yes";
  return program === undefined ? "no" : matchSubcommand(pattern, word.value, program);
}

/** Compares aliases and abbreviations by their meaning. */
function matchSubcommand(pattern: SpelledPattern, value: string, program: string): Match {
  const given = meaningOf(program, value);
  if (given === undefined) return "no";
  const wanted = pattern.kind === "literal" ? meaningOf(program, pattern.text) : undefined;
  const matches = (name: string) => isText(pattern, name) || (wanted?.sure && wanted.names[0] === name);
  if (!given.names.some(matches)) return "no";
  return given.sure ? "yes" : "maybe";
}

/** Simplifies a path: `//`, `/.` and `./x` are other spellings of `/` and `x`. */
function plainPath(value: string): string {
  const short = value
    .replace(/\/{2,}/g, "/")
    .replace(/\/(?:\.\/)+/g, "/")
    .replace(/\/\.?$/, "")
    .replace(/^(?:\.\/)+/, "");
  return short === "" && value.startsWith("/") ? "/" : short;
}

/** Returns whether the unknown parts could make the word match. */
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

/** Whether a rule matches. "maybe" depends on parts that the shell fills in. */
type Match = "no" | "maybe" | "yes";

/**
 * Compares an option: `-rf` matches when both letters are present in any cluster, a long option also if abbreviated.
 */
function matchOption(pattern: SpelledPattern, words: readonly Word[]): Match {
  const values = words.flatMap(({ value, parts }) => {
    const start = value ?? (typeof parts[0] === "string" ? parts[0] : undefined);
    return start !== undefined && /^-./.test(start) ? [start] : [];
  });
  if (hasOption(pattern, values, words)) return "yes";
  const isOpen = (word: Word) => word.value === undefined && beginsOption(word) !== "no";
  return words.some(isOpen) ? "maybe" : "no";
}

function hasOption(pattern: SpelledPattern, values: readonly string[], words: readonly Word[]): boolean {
  if (values.some((value) => isText(pattern, value))) return true;
  const [, letters] = /^-([^-=*]{1,4})$/.exec(pattern.text) ?? [];
  if (letters !== undefined) return [...letters].every((letter) => hasLetter(letter, values));
  const [, name, value] = /^--([^=*]+)(?:=(.*))?$/s.exec(pattern.text) ?? [];
  if (name === undefined) return false;
  if (value === undefined) return values.some((given) => isLong(given, name)) || hasShort(name, values);
  return words.some((word, index) => word.value === `--${name}` && words[index + 1]?.value === value);
}

function hasLetter(letter: string, values: readonly string[]): boolean {
  const letters = /[rR]/.test(letter) ? ["r", "R"] : [letter];
  const names = Object.keys(sameOptions).filter((name) => sameOptions[name]!.includes(letter));
  return values.some(
    (value) =>
      (/^-[^-]/.test(value) && letters.some((one) => value.includes(one))) ||
      names.some((name) => isLong(value, name)),
  );
}

function hasShort(name: string, values: readonly string[]): boolean {
  const short = Object.hasOwn(sameOptions, name) ? sameOptions[name]! : "";
  return values.some((value) => /^-[^-]/.test(value) && [...short].some((letter) => value.includes(letter)));
}

/** Returns whether an option is `--name` or its beginning, which most programs accept. */
function isLong(value: string, name: string): boolean {
  const [given = ""] = value.split("=");
  return given === `--${name}` || (given.length > 2 && `--${name}`.startsWith(given));
}

/** Long options and the letters that mean the same in most programs that have them. */
const sameOptions: Readonly<Record<string, string>> = {
  all: "a",
  delete: "dD",
  force: "fD",
  global: "g",
  interactive: "i",
  "no-verify": "n",
  recursive: "rR",
  yes: "y",
};

/** Returns whether a word is an option, or may become one. */
function beginsOption({ parts }: Word): Match {
  const [first] = parts;
  if (typeof first === "string")
    return /^-./.test(first) || (first === "-" && parts.length > 1) ? "yes" : "no";
  return first === undefined || first.unknown === "home" || first.unknown === "glob" ? "no" : "maybe";
}

function isText(pattern: SpelledPattern, value: string): boolean {
  return pattern.kind === "literal" ? pattern.text === value : matchSegment(pattern.whole, value);
}

/**
 * Returns the ask and deny rules about a command that an unknown program may run: `chronic rm -rf x`, `su -c 'rm -rf
 * x'`.
 */
export function rulesWithin(
  command: SimpleCommand,
  { named }: NamedRules<CommandRule>,
  readCommand: ReadCommand,
): ReadonlySet<CommandRule> {
  const found = new Set<CommandRule>();
  const tightening = (name: string) =>
    programNames(baseName(name)).flatMap(
      (program) => named.get(program)?.filter(({ effect }) => effect !== "allow") ?? [],
    );
  let looks = 0;
  for (const { name, toCommand } of commandsWithin(command, readCommand))
    for (const rule of tightening(name)) {
      looks += 1;
      if (looks > maxLooks || matchLoosely(rule.pattern, toCommand()) !== "no") found.add(rule);
    }
  return found;
}

/** The number of comparisons after which every further rule counts as matched. */
const maxLooks = 200;

interface InnerCommand {
  readonly name: string;
  toCommand(): SimpleCommand;
}

function* commandsWithin(command: SimpleCommand, readCommand: ReadCommand): Iterable<InnerCommand> {
  const { program, words } = command;
  if (harm(ownRisk(command)) < harm("execute") || program === "git") return;
  const first = words.findIndex(({ value }, index) => index > 0 && !value?.startsWith("-"));
  for (const [index, { value }] of words.entries()) {
    if (index === 0 || value === undefined) continue;
    if (/\s/.test(value)) {
      for (const inner of readCommand(value).commands) {
        const name = inner.words[0]?.value;
        if (name !== undefined) yield { name, toCommand: () => inner };
      }
    } else if (index !== first || program === undefined || !subcommands.has(program))
      yield { name: value, toCommand: () => ({ ...command, words: words.slice(index) }) };
  }
}

/** Programs whose first operand is a subcommand, for example `rm`. */
const subcommands: ReadonlySet<string> = new Set(
  "apt apt-get aws brew bun cargo conda docker dotnet flatpak gcloud gem gh go helm hg kubectl npm pip pnpm podman poetry snap svn systemctl terraform uv yarn".split(
    " ",
  ),
);
