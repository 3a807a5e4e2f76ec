import type { ParsedScript } from "unbash";
import type { ChangedVariable, NotUnderstood, SimpleCommand, Span } from "../analysis.ts";

/** A piece of shell source that is being read. */
export interface Scope {
  readonly source: string;
  /** Maps positions of `source` to the given command. */
  locate(start: number, end: number): Span;
  readonly within: readonly string[];
  /** Whether it is inside a substitution, whose text bash prints again before running it. */
  readonly rewritten: boolean;
  readonly shell: ShellState;
  readonly reading: Reading;
  /** The number of levels of text inside text that have been read as commands. */
  readonly depth: number;
}

/** The state that lasts from one command to the next in one shell process. */
interface ShellState {
  directory: string | undefined;
  /** Whether the current statement has changed `directory`. */
  moved: boolean;
}

/** A stretch of `source`. */
export interface Stretch {
  readonly pos: number;
  readonly end: number;
}

/** A simple command before it is interpreted. */
export type ReadCommand = Pick<SimpleCommand, "span" | "words" | "assignments" | "redirections">;

/**
 * Reading and interpreting call each other: words contain scripts, programs run scripts. Each calls the other through
 * the scope, so that the modules below do not import the ones above them.
 */
interface Interpreter {
  readScript(script: ParsedScript, scope: Scope): void;
  interpretCommand(command: ReadCommand, scope: Scope): void;
}

/** Everything found so far, over all scopes of one command. */
export interface Reading {
  readonly interpreter: Interpreter;
  readonly commands: SimpleCommand[];
  readonly notUnderstood: NotUnderstood[];
  /** The absolute start directory of the whole command, "" if unknown. */
  readonly start: string;
  readonly variables: VariableChange[];
  readonly evaluated: VariableUse[];
  readonly functions: Set<string>;
  /** Functions that earlier commands of the same shell have defined. */
  readonly shadowed: ReadonlySet<string>;
  readonly arrays: Set<string>;
  /** Characters that may still be read as commands, so that nested texts cannot multiply the work. */
  budget: number;
  /** The program, if any, that may change how the same shell reads later commands. */
  reshaped: string | undefined;
}

export interface VariableChange extends ChangedVariable {
  readonly numeric: boolean;
  readonly span: Span;
  /** The range of `commands` that it affects; undefined when it lasts. */
  readonly only: { readonly first: number; readonly end: number } | undefined;
}

/** A use that evaluates the text of a variable, so that it must be a number. */
interface VariableUse {
  readonly name: string;
  readonly by: string;
  readonly span: Span;
}

export function doubt(scope: Scope, reason: string, at: Stretch): void {
  scope.reading.notUnderstood.push({ reason, span: scope.locate(at.pos, at.end) });
}

/** Records that a variable of the shell gets a value that lasts. */
export function noteVariable(scope: Scope, name: string, value: "number" | "text", at: Stretch): void {
  scope.reading.variables.push({
    name,
    numeric: value === "number",
    passedOn: false,
    span: scope.locate(at.pos, at.end),
    only: undefined,
  });
}
