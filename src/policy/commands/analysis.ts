import type { Risk } from "../../contract/access.ts";

/** A shell command, as far as it is known without running it. */
export interface CommandAnalysis {
  /**
   * Every simple command that may run, those in substitutions, functions and wrappers included, inner ones first where
   * the shell runs them first. No cap on their number.
   */
  readonly commands: readonly SimpleCommand[];
  /** The parts that could not be understood. Not empty means: ask. */
  readonly notUnderstood: readonly NotUnderstood[];
  /** The state that it may leave in a persistent shell. */
  readonly leaves: SessionState;
}

export interface SessionState {
  readonly directory: string | undefined;
  /** Changed variables that decide what other commands run. */
  readonly variables: readonly ChangedVariable[];
  /** Names that may run something else from now on. */
  readonly functions: readonly string[];
  readonly arrays: readonly string[];
  /** Why later commands cannot be understood; undefined if they can. */
  readonly unclear: string | undefined;
}

export interface ChangedVariable {
  readonly name: string;
  /** It is exported, or set in front of a program. */
  readonly passedOn: boolean;
}

/** One program with its words. Without words: only assignments, or the redirections of a group or loop. */
export interface SimpleCommand {
  readonly span: Span;
  readonly words: readonly Word[];
  /** The program's name without its directory, when it is known and is one of the system's. */
  readonly program: string | undefined;
  readonly assignments: readonly Assignment[];
  readonly redirections: readonly Redirection[];
  /** The programs that run it, outermost first: "sudo", "bash -c", "find -exec". */
  readonly within: readonly string[];
  /** Where it runs: "" where the whole command starts, a path as written after `cd … &&`, undefined if that is open. */
  readonly directory: string | undefined;
  /** The highest of its effects; "read" if there are none. */
  readonly risk: Risk;
  readonly effects: readonly Effect[];
  readonly accesses: readonly CommandAccess[];
}

/** A part of the command as it was given, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A word of the shell, with its known and unknown parts. */
export interface Word {
  readonly text: string;
  readonly span: Span;
  readonly parts: readonly (string | UnknownPart)[];
  /** The word without quotes, when all of it is known. */
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
  /** It may become no word or several. */
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
  /** The file, the descriptor or the here-string; the text for a here-document. */
  readonly target: Word;
  /** The file descriptor, if it is written; "variable": one that the shell chooses. */
  readonly descriptor: number | "variable" | undefined;
  readonly span: Span;
}

/** One thing a simple command does beyond reading, with the reason for thinking so. */
export interface Effect {
  readonly risk: Risk;
  readonly reason: string;
  readonly span: Span;
}

/** A file or host that a word or redirection names; relative paths start at the command's `directory`. */
export interface CommandAccess {
  readonly kind: "read" | "write" | "delete" | "network";
  readonly target: Word;
  /** How much of it is read; default: its own content. */
  readonly extent?: Extent;
}

/**
 * "deep": the contents of whatever lies below it as well; "visible": the same, but for hidden files; "names": not even its
 * own content, only names and attributes.
 */
export type Extent = "deep" | "visible" | "names";

export interface NotUnderstood {
  readonly reason: string;
  readonly span: Span;
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

/** Another word at the same position, for example the value in `--output=value`. */
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

/** `$#`, `$?`, `${#name}` and the like. */
export function isCount(part: { readonly text: string }): boolean {
  return /^\$[#?$!]$|^\$\{#\w*(?:\[[@*]\])?\}$/.test(part.text);
}
