import type { ToolRisk } from "../../contract/access.ts";
import { programName, type Spelling, usualForm } from "../../engine/policy/commands/spellings.ts";
import { escapeGlob } from "../../lib/glob/glob.ts";
import { type NamePattern, parseSegments, type Segment } from "../../lib/glob/glob-segment.ts";
import { fold } from "../paths/path-names.ts";
import { compilePath } from "../paths/path-pattern.ts";
import type { PathContext } from "../policy.ts";
import type { RuleWord } from "./rule-words.ts";

export type CommandPattern =
  /** A class of commands by their risk, such as `@read`. */
  | { readonly kind: "class"; readonly risk: ToolRisk }
  | {
      readonly kind: "words";
      /** `NAME=value` before the program. */
      readonly assignments: readonly WordPattern[];
      readonly program: ProgramPattern;
      readonly words: readonly WordPattern[];
      /** The same words for ask and deny rules: options in any position, operands in order. */
      readonly options: readonly SpelledPattern[];
      readonly operands: readonly WordPattern[];
      /** The usual form of the same command, for ask and deny rules: `npm exec` for `npx`. */
      readonly usual: CommandPattern | undefined;
    };

export type WordPattern =
  | { readonly kind: "one word" | "any words" }
  | { readonly kind: "literal"; readonly text: string }
  /** In `names`, for rules that allow, stars stop at slashes; in `whole` they do not. */
  | {
      readonly kind: "glob";
      readonly text: string;
      readonly names: readonly Segment[];
      readonly whole: NamePattern;
    };

export type SpelledPattern = Extract<WordPattern, { kind: "literal" | "glob" }>;

export interface ProgramPattern {
  readonly word: WordPattern;
  /** The last name, folded, as `programName` spells it; undefined if it has wildcards. */
  readonly name: string | undefined;
  /** The file that the pattern names, if it contains a slash. */
  readonly file: readonly (readonly Segment[])[] | undefined;
}

export function compileCommand(words: readonly RuleWord[], context: PathContext): CommandPattern {
  const [first] = words;
  if (first!.bare && first!.text.startsWith("@"))
    return { kind: "class", risk: first!.text.slice(1) as ToolRisk };
  // A quoted name is a program, as in the shell.
  const start = words.findIndex(({ text }) => !/^[A-Za-z_]\w*=/.test(text));
  const program = words[start < 0 ? words.length : start];
  const rest = start < 0 ? [] : words.slice(start + 1).map(compileWord);
  const isAnything = program?.bare && program.text === "**";
  const word: WordPattern = program === undefined ? { kind: "literal", text: "" } : compileWord(program);
  const name = word.kind === "literal" ? programName(baseName(word.text)) : undefined;
  const usual = name === undefined ? undefined : usualForm(name, words.slice(start), ruleSpelling);
  return {
    kind: "words",
    assignments: words.slice(0, start < 0 ? words.length : start).map(compileWord),
    program: {
      word,
      name,
      file: program?.pattern.includes("/") ? compilePath(program.pattern, context, "exact") : undefined,
    },
    words: isAnything ? [{ kind: "any words" }, ...rest] : rest,
    options: rest.filter(isOption),
    operands: rest.filter((other) => !isOption(other) && !isEndOfOptions(other)),
    usual: usual && compileCommand(usual, context),
  };
}

const ruleSpelling: Spelling<RuleWord> = {
  textOf: ({ literal }) => literal,
  make: (text, { column }) => ({ text, pattern: escapeGlob(text), literal: text, bare: false, column }),
};

export function isSpelled(pattern: WordPattern): pattern is SpelledPattern {
  return pattern.kind === "literal" || pattern.kind === "glob";
}

function isOption(pattern: WordPattern): pattern is SpelledPattern {
  return isSpelled(pattern) && /^-./.test(pattern.text) && !isEndOfOptions(pattern);
}

function isEndOfOptions(pattern: WordPattern): boolean {
  return isSpelled(pattern) && pattern.text === "--";
}

function compileWord({ text, pattern, literal, bare }: RuleWord): WordPattern {
  if (bare && text === "*") return { kind: "one word" };
  if (bare && text === "**") return { kind: "any words" };
  if (literal !== undefined) return { kind: "literal", text: literal };
  const names = parseSegments(pattern);
  const tokens = names.flatMap((name, index) => [
    ...(index === 0 ? [] : [slash]),
    ...(name === "**" ? (["*"] as const) : name.tokens),
  ]);
  return { kind: "glob", text: pattern, names, whole: { tokens, shape: { kind: "general" } } };
}

const slash = { code: 0x2f };

export function baseName(path: string): string {
  return fold(path.slice(path.lastIndexOf("/") + 1));
}
