import type { SimpleCommand, Word } from "../../engine/policy/commands/command.ts";
import { wordAt } from "../../engine/policy/commands/command.ts";
import {
  gitCommands,
  gitSubcommandAt,
  meaningOf,
  programName,
  programNames,
  type Spelling,
  usualForm,
} from "../../engine/policy/commands/spellings.ts";
import { matchSegment } from "../../lib/glob/glob-segment.ts";
import {
  baseName,
  type CommandPattern,
  isSpelled,
  type SpelledPattern,
  type WordPattern,
} from "./command-pattern.ts";
import { harm } from "./command-risk.ts";

/**
 * Returns whether an ask or deny rule matches a command. The rule is a prefix: more words may follow. Its operands must
 * come in order, with only options and their values between them. Its options may come anywhere, combined or separate,
 * short or long. "maybe": only the shell knows which program runs, or an alias of git may stand for the rule's words.
 * Words that only the shell knows match nothing: such rules are guard rails, and the sandbox is the boundary.
 */
export function matchLoosely(pattern: CommandPattern, command: SimpleCommand): Match {
  if (pattern.kind === "class") return harm(command.risk) >= harm(pattern.risk) ? "yes" : "no";
  const asWritten = matchForm(pattern, command.words);
  const usual = usualForm(nameOf(command.words[0]) ?? "", command.words, commandSpelling);
  if (asWritten === "yes" || (usual === undefined && pattern.usual === undefined)) return asWritten;
  const asUsual = matchForm(pattern.usual ?? pattern, usual ?? command.words);
  return asUsual === "no" ? asWritten : asUsual;
}

type Match = "no" | "maybe" | "yes";

function matchForm(pattern: CommandPattern, [program, ...words]: readonly Word[]): Match {
  if (pattern.kind === "class" || program === undefined) return "no";
  const { word, name } = pattern.program;
  if (isSpelled(word)) {
    if (program.value === undefined) return "maybe";
    const value = baseName(program.value);
    const isSame =
      word.kind === "literal"
        ? name === programName(value)
        : matchSegment(word.whole, value) || matchSegment(word.whole, program.value);
    if (!isSame) return "no";
  }
  const known = words.flatMap(({ value }) => value ?? []);
  if (!pattern.options.every((option) => hasOption(option, known))) return "no";
  if (matchOperands(pattern.operands, words, nameOf(program))) return "yes";
  return pattern.operands.some(isSpelled) && mayBeAlias(program, words) ? "maybe" : "no";
}

/** Whether a word is no subcommand of git, so that an alias of the user can stand for any. */
function mayBeAlias(program: Word, words: readonly Word[]): boolean {
  if (nameOf(program) !== "git") return false;
  const values = [program, ...words].map(({ value }) => value);
  const at = gitSubcommandAt(values);
  return at !== undefined && !gitCommands.has(values[at] ?? "");
}

function nameOf(program: Word | undefined): string | undefined {
  return program?.value === undefined ? undefined : programName(baseName(program.value));
}

/** Returns the names of the program, for finding the rules about it. */
export function namesOf({ words }: SimpleCommand): readonly string[] {
  const [first] = words;
  if (first?.value === undefined) return [];
  const usual = nameOf(usualForm(nameOf(first)!, words, commandSpelling)?.[0]);
  const names = programNames(baseName(first.value));
  return usual === undefined || names.includes(usual) ? names : [...names, usual];
}

const commandSpelling: Spelling<Word> = {
  textOf: ({ value }) => value,
  make: (text, word) => wordAt(word, text),
};

/**
 * Compares the operands in order. Options, and a word after an option, which may be its value, may come between them.
 */
function matchOperands(
  patterns: readonly WordPattern[],
  words: readonly Word[],
  program: string | undefined,
): boolean {
  /** The numbers of patterns that may have matched so far, and those after which the last word was an option. */
  let reached = new Set([0]);
  let afterOption = new Set<number>();
  const isComplete = () => [...reached, ...afterOption].some((at) => patterns.slice(at).every(isAnyWords));
  for (const word of words) {
    if (isComplete()) return true;
    const next = new Set<number>();
    const nextAfterOption = new Set<number>();
    const isOption = /^-./.test(word.start) && !isNumber.test(word.start);
    for (const at of new Set([...reached, ...afterOption])) {
      let to = at;
      while (patterns[to]?.kind === "any words") {
        next.add(to);
        to += 1;
      }
      const pattern = patterns[to];
      if (pattern !== undefined && matchOperand(pattern, word, to === 0 ? program : undefined))
        next.add(to + 1);
      if (isOption) nextAfterOption.add(at);
      else if (afterOption.has(at)) next.add(at);
    }
    reached = next;
    afterOption = nextAfterOption;
  }
  return isComplete();
}

const isNumber = /^-\d+$/;

function isAnyWords({ kind }: WordPattern): boolean {
  return kind === "any words";
}

/** Compares a word, which may be a subcommand of `program`, also by an alias. */
function matchOperand(pattern: WordPattern, { value }: Word, program: string | undefined): boolean {
  if (!isSpelled(pattern)) return true;
  if (value === undefined) return false;
  if (isText(pattern, value) || isText(pattern, plainPath(value))) return true;
  if (program === undefined || pattern.kind !== "literal") return false;
  return meaningOf(program, value) === meaningOf(program, pattern.text);
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

/** Compares an option: `-rf` matches when both letters are present in any cluster, a long option also if abbreviated. */
function hasOption(pattern: SpelledPattern, words: readonly string[]): boolean {
  const options = words.filter((value) => /^-./.test(value));
  if (options.some((value) => isText(pattern, value))) return true;
  const [, letters] = /^-([^-=*]{1,4})$/.exec(pattern.text) ?? [];
  if (letters !== undefined) return [...letters].every((letter) => hasLetter(letter, options));
  const [, name, value] = /^--([^=*]+)(?:=(.*))?$/s.exec(pattern.text) ?? [];
  if (name === undefined) return false;
  if (value === undefined) return options.some((given) => isLong(given, name)) || hasShort(name, options);
  return words.some((word, index) => word === `--${name}` && words[index + 1] === value);
}

function hasLetter(letter: string, options: readonly string[]): boolean {
  const letters = /[rR]/.test(letter) ? ["r", "R"] : [letter];
  const names = Object.keys(sameOptions).filter((name) => sameOptions[name]!.includes(letter));
  return options.some(
    (value) =>
      (/^-[^-]/.test(value) && letters.some((one) => value.includes(one))) ||
      names.some((name) => isLong(value, name)),
  );
}

function hasShort(name: string, options: readonly string[]): boolean {
  const short = Object.hasOwn(sameOptions, name) ? sameOptions[name]! : "";
  return options.some((value) => /^-[^-]/.test(value) && [...short].some((letter) => value.includes(letter)));
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

function isText(pattern: SpelledPattern, value: string): boolean {
  return pattern.kind === "literal" ? pattern.text === value : matchSegment(pattern.whole, value);
}
