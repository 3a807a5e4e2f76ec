import type { ToolRisk } from "../../../contract/access.ts";

/** A shell command, as far as it is known without running it. */
export interface CommandAnalysis {
  /** Every simple command that is written anywhere in it, also in substitutions, functions and behind wrappers. */
  readonly commands: readonly SimpleCommand[];
  /** The parts that are more than plain words. Rules allow only plain commands; the sandbox confines all of them. */
  readonly notPlain: readonly NotPlain[];
  /** Whether every program only reads, so that a view in which nothing can be written is enough. */
  readonly readsOnly: boolean;
  /** The folder in which the shell is afterwards, relative to the workspace; undefined if unknown. */
  readonly directory: string | undefined;
}

/** A program with its words. Without words it has only assignments, or the redirections of a group or loop. */
export interface SimpleCommand {
  readonly span: Span;
  readonly words: readonly Word[];
  /** The program's name without its folder, if it is known and the file is a system program. */
  readonly program: string | undefined;
  readonly assignments: readonly Assignment[];
  readonly redirections: readonly Redirection[];
  /** The folder in which it runs: "" for the workspace, undefined if unknown. */
  readonly directory: string | undefined;
  /** Whether it is known completely, so that a rule may allow it. */
  readonly isPlain: boolean;
  /** Whether it runs in a container, on another machine or by a package. Only rules that ask or deny apply. */
  readonly isElsewhere?: true | undefined;
  /** The class of the program by its name, for rules such as `allow run @read`. */
  readonly risk: ToolRisk;
}

/** A range of the given command, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Word {
  readonly text: string;
  readonly span: Span;
  /** The word without quotes, if all of it is known. A home folder is written as `~`. */
  readonly value: string | undefined;
  /** The known beginning. */
  readonly start: string;
  /** Whether `~` at the beginning means the home folder. */
  readonly isInHome: boolean;
}

export interface Assignment {
  readonly name: string;
  readonly value: Word | undefined;
  readonly span: Span;
}

export interface Redirection {
  readonly kind: "read" | "write" | "text" | "descriptor";
  /** The file, the descriptor or the text. */
  readonly target: Word;
  readonly span: Span;
}

export interface NotPlain {
  readonly reason: string;
  readonly span: Span;
  /** Whether the parser found a syntax error, so that the shell probably runs nothing. */
  readonly isSyntax?: true;
}

/** The folder in which a command starts, relative to the workspace. */
export interface StartState {
  readonly directory: string | undefined;
  /** Why no rule may allow what this shell runs; undefined for a new shell. */
  readonly notPlain?: string | undefined;
}

/** Returns a word with another value at the same position, for example the `x` of `--file=x`. */
export function wordAt(word: Word, value: string): Word {
  return { ...word, value, start: value, isInHome: value.startsWith("~") };
}
