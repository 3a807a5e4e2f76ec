import type { ToolRisk } from "../../contract/access.ts";

/** A shell command, as far as it is known without running it. */
export interface CommandAnalysis {
  /**
   * Every simple command that may run, including those in substitutions, functions and wrappers. Inner commands come
   * first if the shell runs them first. Their number is not limited.
   */
  readonly commands: readonly SimpleCommand[];
  /** The parts that are not understood. If there are any, the user is asked. */
  readonly notUnderstood: readonly NotUnderstood[];
  /** The state that the command may leave in a persistent shell. */
  readonly leaves: SessionState;
}

export interface SessionState {
  readonly directory: string | undefined;
  /** Changed variables that affect what other commands run. */
  readonly variables: readonly ChangedVariable[];
  /** Names of functions that the command defines. */
  readonly functions: readonly string[];
  readonly arrays: readonly string[];
  /** The reason why later commands cannot be understood; undefined if they can. */
  readonly unclear: string | undefined;
}

export interface ChangedVariable {
  readonly name: string;
  /** Whether the variable is exported, or set before a program. */
  readonly passedOn: boolean;
}

/** A program with its words. A command without words has only assignments, or the redirections of a group or loop. */
export interface SimpleCommand {
  readonly span: Span;
  readonly words: readonly Word[];
  /** The program's name without its directory, if it is known and is a system program. */
  readonly program: string | undefined;
  readonly assignments: readonly Assignment[];
  readonly redirections: readonly Redirection[];
  /** The programs that run it, outermost first: "sudo", "bash -c", "find -exec". */
  readonly within: readonly string[];
  /** Its directory: "" for the start of the whole command, a path as in `cd … &&`, undefined if unknown. */
  readonly directory: string | undefined;
  /** The highest risk of its effects; "read" if there are none. */
  readonly risk: ToolRisk;
  readonly effects: readonly Effect[];
  readonly accesses: readonly CommandAccess[];
}

/** A range of the given command, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A word of the shell, with its known and unknown parts. */
export interface Word {
  readonly text: string;
  readonly span: Span;
  readonly parts: readonly (string | UnknownPart)[];
  /** The word without quotes, if all of it is known. */
  readonly value: string | undefined;
}

export interface UnknownPart {
  readonly unknown:
    | "variable"
    | "output"
    | "arithmetic"
    | "glob"
    | "braces"
    | "home"
    | "file descriptor"
    | "translation"
    | "input";
  readonly text: string;
  /** Whether the shell may split it into no word or several. */
  readonly splits: boolean;
}

export interface Assignment {
  readonly name: string;
  /** Undefined for arrays and for names set without a value. */
  readonly value: Word | undefined;
  readonly span: Span;
}

export interface Redirection {
  readonly kind: "read" | "write" | "append" | "read and write" | "descriptor" | "text";
  /** The file, the descriptor or the here-string; for a here-document, its text. */
  readonly target: Word;
  /** The file descriptor, if written; "variable" if the shell chooses it. */
  readonly descriptor: number | "variable" | undefined;
  readonly span: Span;
}

/** One effect of a simple command besides reading, with the reason for assuming it. */
export interface Effect {
  readonly risk: ToolRisk;
  readonly reason: string;
  readonly span: Span;
}

/** A file or host that a word or redirection names. Relative paths start at the command's `directory`. */
export interface CommandAccess {
  readonly kind: "read" | "write" | "delete" | "network";
  readonly target: Word;
  /** How much of it is read. Default: its own content. */
  readonly extent?: Extent;
}

/** "deep" includes everything below it, "visible" the same without hidden files, "names" only names and attributes. */
export type Extent = "deep" | "visible" | "names";

export interface NotUnderstood {
  readonly reason: string;
  readonly span: Span;
  /** Whether the parser found a syntax error, so that the shell probably runs nothing. */
  readonly isSyntax?: true;
}

type Part = string | UnknownPart;

/** Makes a word, joining neighbouring texts. */
export function makeWord(text: string, span: Word["span"], parts: readonly Part[]): Word {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === "string" && typeof last === "string") joined[joined.length - 1] = last + part;
    else if (part !== "") joined.push(part);
  }
  const [first = "", ...more] = joined;
  return {
    text,
    span,
    parts: joined,
    value: more.length > 0 || typeof first === "object" ? undefined : first,
  };
}

/** Returns another word at the same position, for example the value in `--output=value`. */
export function wordAt(word: Word, parts: readonly Part[]): Word {
  return makeWord(word.text, word.span, parts);
}

export function splits(word: Word): boolean {
  return word.parts.some((part) => typeof part !== "string" && part.splits);
}

export function isNumeric(word: Word | undefined): boolean {
  if (word === undefined || word.parts.length === 0) return false;
  return word.parts.every((part) =>
    typeof part === "string"
      ? /^-?\d+$/.test(part)
      : part.unknown === "arithmetic" || isCount(part) || range.test(part.text),
  );
}

const range = /^\{-?\d+\.\.-?\d+(?:\.\.-?\d+)?\}$/;

/** Recognizes `$#`, `$?`, `${#name}` and similar expansions to a number. */
export function isCount(part: { readonly text: string }): boolean {
  return /^\$[#?$!]$|^\$\{#\w*(?:\[[@*]\])?\}$/.test(part.text);
}
