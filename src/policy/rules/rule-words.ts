import { risks, type ToolRisk } from "../../contract/access.ts";
import { ToolError } from "../../contract/error.ts";
import { escapeGlob, expandBraces } from "../../lib/glob/glob.ts";
import { GlobSyntaxError, parseSegments } from "../../lib/glob/glob-segment.ts";
import { hostOf } from "../hosts.ts";
import type { ToolPattern } from "./rule.ts";

export interface RuleWord {
  readonly text: string;
  /** The word as a glob. Quoted or escaped text is literal. */
  readonly pattern: string;
  /** The text of the word; undefined with wildcards. */
  readonly literal: string | undefined;
  /** Whether nothing in it is quoted, so that it can be a keyword. */
  readonly bare: boolean;
  /** Its column in the line, from 0. */
  readonly column: number;
}

/** An error in a line, with its column (from 0) and a hint. */
export class RuleSyntaxError extends Error {
  readonly column: number;
  readonly hint: string;

  constructor(message: string, column: number, hint: string) {
    super(message);
    this.column = column;
    this.hint = hint;
  }
}

/**
 * Splits a line into words at blanks, up to a comment. Quoted text and characters after a backslash are literal. With
 * `onlyStars` only `*` is a wildcard, as in the words of commands.
 */
export function readWords(
  line: string,
  options: { readonly onlyStars: boolean; readonly from?: number; readonly most?: number },
): RuleWord[] {
  const { most = Number.POSITIVE_INFINITY } = options;
  const words: RuleWord[] = [];
  let index = options.from ?? 0;
  for (;;) {
    while (index < line.length && isBlank(line[index]!)) index += 1;
    if (index >= line.length || line[index] === "#" || words.length === most) return words;
    const word = readWord(line, index, options.onlyStars);
    words.push(word);
    index += word.text.length;
  }
}

function readWord(line: string, start: number, onlyStars: boolean): RuleWord {
  let index = start;
  let pattern = "";
  let literal: string | undefined = "";
  let bare = true;
  const takes = (text: string, asPattern = escapeGlob(text)) => {
    pattern += asPattern;
    if (literal !== undefined) literal += text;
  };
  while (index < line.length && !isBlank(line[index]!)) {
    plainText.lastIndex = index;
    const plain = plainText.exec(line)?.[0];
    if (plain !== undefined) {
      takes(plain, plain);
      index += plain.length;
      continue;
    }
    const character = line[index]!;
    if (character === "'" || character === '"') {
      const { text, next } = readQuoted(line, index);
      bare = false;
      takes(text);
      index = next;
    } else if (character === "\\") {
      const escaped = line[index + 1];
      if (escaped === undefined)
        throw new RuleSyntaxError("trailing backslash", index, 'Write "\\\\" for a backslash.');
      bare = false;
      takes(escaped);
      index += 2;
    } else {
      if (character === "*" || (!onlyStars && "?[]{}!".includes(character))) {
        pattern += character;
        if (character !== "]" && character !== "}" && character !== "!") literal = undefined;
      } else takes(character);
      index += 1;
    }
  }
  return { text: line.slice(start, index), pattern, literal, bare, column: start };
}

/** Matches characters that are never special. */
const plainText = /[^ \t'"\\*?[\]{}!]+/y;

function readQuoted(line: string, open: number): { text: string; next: number } {
  const quote = line[open]!;
  let text = "";
  for (let index = open + 1; index < line.length; index += 1) {
    const character = line[index]!;
    if (character === quote) return { text, next: index + 1 };
    if (character === "\\" && quote === '"' && /["\\]/.test(line[index + 1] ?? "")) index += 1;
    text += line[index]!;
  }
  throw new RuleSyntaxError("unclosed quote", open, `Close it with ${quote}.`);
}

function isBlank(character: string): boolean {
  return character === " " || character === "\t";
}

/** Returns the error for an unexpected word. */
export function unknownWord(
  { text, column }: Pick<RuleWord, "text" | "column">,
  expected: string,
): RuleSyntaxError {
  const found = text === "" ? "the rule is incomplete" : `unexpected "${text}"`;
  return new RuleSyntaxError(found, column, `${expected[0]!.toUpperCase()}${expected.slice(1)}.`);
}

/** Returns the hint that lists the words which may follow `word`. */
export function oneOf(word: string, next: readonly string[]): string {
  return `after ${word}, write ${next.length === 1 ? "" : "one of: "}${next.join(", ")}`;
}

export function endOf(line: string): RuleWord {
  return { text: "", pattern: "", literal: "", bare: true, column: line.length };
}

/** Refuses words after a class such as `@read`, and unknown classes. */
export function checkClass(words: readonly RuleWord[]): readonly RuleWord[] {
  const [first, ...more] = words;
  if (!first?.bare || !first.text.startsWith("@")) return words;
  if (!commandClasses.includes(first.text as `@${ToolRisk}`))
    throw unknownWord(first, `use ${commandClasses.join(", ")}, or quote the name of a program`);
  if (more[0] !== undefined) throw unknownWord(more[0], `remove the words after ${first.text}`);
  return words;
}

const commandClasses = risks.map((risk) => `@${risk}` as const);

/** Refuses a host with a port or a path, because rules apply to whole hosts. */
export function checkHost({ text, column }: RuleWord): void {
  if (hostOf(text) !== undefined && !/[/@?#]|^[^:[]*:[^:]*$|\]:/.test(text)) return;
  throw new RuleSyntaxError(
    `"${text}" is not a host`,
    column,
    "Write a host without port and path; * matches any part.",
  );
}

export function checkGlob({ pattern, column }: RuleWord): void {
  // Only these characters can make a glob invalid.
  if (!/[[{}\\]/.test(pattern)) return;
  if (/^(?:[^{]*\{){101}/.test(pattern))
    throw new RuleSyntaxError("too many braces", column, "Write several rules.");
  try {
    for (const text of expandBraces(pattern)) parseSegments(text);
  } catch (error) {
    if (error instanceof GlobSyntaxError)
      throw new RuleSyntaxError(error.message, column + error.index, error.hint);
    if (error instanceof ToolError) throw new RuleSyntaxError(error.message, column, "Write several rules.");
    throw error;
  }
}

/** Parses `a b of SERVER`, which names tools, and `as HASH` after it, which names one definition. */
export function readTools(
  words: readonly RuleWord[],
): readonly (ToolPattern & { readonly definition: string | undefined })[] {
  const [as, hash] = words.slice(-2);
  if (as?.bare && as.text === "as" && definitionHash.test(hash!.text))
    return readTools(words.slice(0, -2)).map((tool) => ({ ...tool, definition: hash!.text }));
  const of = words.findIndex(({ bare, text }) => bare && text === "of");
  const names = of < 0 ? words : words.slice(0, of);
  const server = of < 0 ? undefined : words[of + 1];
  if (names.length === 0) throw unknownWord(words[0]!, "write the name of a tool before `of`");
  if (of >= 0 && (server === undefined || of + 2 !== words.length))
    throw unknownWord(words[of + 2] ?? words[of]!, "write the name of one MCP server after `of`");
  return names.map((name) => ({ name, server, definition: undefined }));
}

const definitionHash = /^[0-9a-f]{32}$/;
