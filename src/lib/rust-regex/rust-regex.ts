import type { ToolError } from "../../contract/error.ts";
import { TextFinder } from "../bytes/text-finder.ts";
import { parseRegex } from "./parse.ts";
import { type ClassSet, type Node, nodesOf, regexError } from "./syntax.ts";
import { type SearchMode, type TextTraits, writeRegex } from "./write.ts";

export type { TextTraits };

export interface RegexOptions {
  /** Whether the pattern is plain text. */
  readonly literal?: boolean;
  readonly ignoreCase?: boolean;
  /** Whether matches next to a word character are left out. */
  readonly wholeWord?: boolean;
  readonly multiline?: boolean;
}

/** A compiled pattern in ripgrep's syntax, for searching in process. */
export interface RustRegex {
  /** Whether "\r\n" ends a line, as for `rg --crlf`. False when the pattern itself contains "\r". */
  readonly crlf: boolean;
  /** Whether a backtracking engine may take unreasonably long, so that it must run with a time limit. */
  readonly mayBacktrack: boolean;
  /** Finds a text that every match contains; may be empty. A file without it need not be searched. */
  readonly requiredText: TextFinder;
  /** The reason why JavaScript cannot match the same texts, if it cannot. Only ripgrep can search then. */
  readonly untranslatable: string | undefined;
  /** Returns an expression with the flag "g". Call it only for a translatable pattern. */
  compile(traits: TextTraits): RegExp;
}

/** Translates a pattern of ripgrep. Throws `invalid-input` with the position when ripgrep would refuse the pattern. */
export function translateRegex(pattern: string, options: RegexOptions = {}): RustRegex {
  const ignoreCase = options.ignoreCase ?? false;
  const parsed = options.literal
    ? { node: plainText(pattern, ignoreCase), untranslatable: undefined }
    : parseRegex(pattern, { ignoreCase });
  const multiline = options.multiline ?? false;
  if (!multiline && asksForNewline(parsed.node)) throw newlineRefused(pattern);
  const node = options.wholeWord ? asWord(parsed.node) : parsed.node;
  // With --crlf ripgrep misses most matches of "\z" in single lines.
  const crlf = !asksForCarriageReturn(node) && (multiline || !asksForTextEnd(node));
  return new Translation(node, { multiline, crlf }, parsed.untranslatable);
}

/** Trying more ways than this at every position of a long text may take too long. */
const manyWays = 100;

class Translation implements RustRegex {
  readonly crlf: boolean;
  readonly mayBacktrack: boolean;
  readonly requiredText: TextFinder;
  readonly untranslatable: string | undefined;
  readonly #node: Node;
  readonly #mode: SearchMode;
  readonly #compiled = new Map<string, RegExp>();

  constructor(node: Node, mode: SearchMode, untranslatable: string | undefined) {
    this.#node = node;
    this.#mode = mode;
    this.crlf = mode.crlf;
    this.mayBacktrack = waysToMatch(node) > manyWays;
    this.requiredText = new TextFinder(textInEveryMatch(node));
    this.untranslatable = untranslatable ?? this.#refusal();
  }

  compile(traits: TextTraits): RegExp {
    const key = `${traits.ascii} ${traits.carriageReturns} ${traits.strayBytes}`;
    let compiled = this.#compiled.get(key);
    if (compiled === undefined) {
      compiled = writeRegex(this.#node, this.#mode, traits);
      this.#compiled.set(key, compiled);
    }
    return compiled;
  }

  /** Returns why the engine refuses the expression: Node 22 has no `(?i:…)`, and some patterns are too large. */
  #refusal(): string | undefined {
    try {
      // An expression that is too large fails when it is first used.
      this.compile({ ascii: true, carriageReturns: false, strayBytes: false }).test("");
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }
}

function plainText(text: string, ignoreCase: boolean): Node {
  const codes = Array.from(text, (character) => character.codePointAt(0)!);
  return { kind: "concatenation", nodes: codes.map((code) => ({ kind: "literal", code, ignoreCase })) };
}

function asWord(node: Node): Node {
  const start: Node = { kind: "assertion", at: "word-start-half", unicode: true };
  const end: Node = { kind: "assertion", at: "word-end-half", unicode: true };
  return { kind: "concatenation", nodes: [start, node, end] };
}

function newlineRefused(pattern: string): ToolError {
  const start = /\\n|\n/.exec(pattern)?.index ?? 0;
  const end = start + (pattern[start] === "\\" ? 2 : 1);
  const message = "line ends can be matched only with multiline";
  return regexError(pattern, { start, end }, message, "Set multiline to true.");
}

const newline = 0x0a;
const carriageReturn = 0x0d;

const longRepetition = 100;

function asksForNewline(node: Node): boolean {
  return [...nodesOf(node)].some((part) => part.kind === "literal" && part.code === newline);
}

/** Returns whether the pattern contains "\r", so that a "\r" cannot count as part of a line end. */
function asksForCarriageReturn(node: Node): boolean {
  return [...nodesOf(node)].some((part) => {
    if (part.kind === "class") return lists(part.set, carriageReturn);
    return part.kind === "literal" && part.code === carriageReturn;
  });
}

function asksForTextEnd(node: Node): boolean {
  return [...nodesOf(node)].some((part) => part.kind === "assertion" && part.at === "text-end");
}

/** Returns the longest text known to be part of every match; may be empty. */
function textInEveryMatch(node: Node): string {
  const parts = node.kind === "concatenation" ? node.nodes : [node];
  let longest = "";
  let current = "";
  for (const part of parts) {
    const isPlain = part.kind === "literal" && !part.ignoreCase;
    current = isPlain ? current + String.fromCodePoint(part.code) : "";
    if (current.length > longest.length) longest = current;
  }
  return longest;
}

/**
 * Returns an upper bound for the attempts of a backtracking engine at one position. A long repetition counts as
 * endless.
 */
function waysToMatch(node: Node): number {
  switch (node.kind) {
    case "repetition":
      if (node.max > longRepetition) return Number.POSITIVE_INFINITY;
      return (node.max - node.min + 1) * waysToMatch(node.node) ** node.max;
    case "concatenation":
      return node.nodes.reduce((ways, part) => ways * waysToMatch(part), 1);
    case "alternation":
      return node.nodes.reduce((ways, part) => ways + waysToMatch(part), 0);
    default:
      return 1;
  }
}

function lists(set: ClassSet, code: number): boolean {
  if (set.kind === "range") return set.first === code && set.last === code;
  return set.kind === "union" && !set.negated && set.sets.some((part) => lists(part, code));
}
