import type { ParsedScript } from "unbash";
import type { ChangedVariable, NotUnderstood, SimpleCommand, Span } from "../analysis.ts";

/** A piece of shell source that is being read. */
export interface Scope {
  readonly source: string;
  /** Where positions of `source` lie in the command as it was given. */
  locate(start: number, end: number): Span;
  readonly within: readonly string[];
  /** It is inside a substitution, whose text bash prints again before running it. */
  readonly rewritten: boolean;
  readonly shell: ShellState;
  readonly reading: Reading;
  /** How many times a text inside a text has been read as commands. */
  readonly depth: number;
}

/** The state that lasts from one command to the next in one shell process. */
interface ShellState {
  directory: string | undefined;
  /** `directory` was changed in the statement being read. */
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
 * Reading and interpreting call each other: words hold scripts, programs run scripts. Each reaches the other through the
 * scope, so that the modules below do not import the ones above them.
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
  /** The absolute path of where the whole command starts, "" if not known. */
  readonly start: string;
  readonly variables: VariableChange[];
  readonly evaluated: VariableUse[];
  /** Functions that it defines. */
  readonly functions: Set<string>;
  /** Functions that earlier commands of the same shell have defined. */
  readonly shadowed: ReadonlySet<string>;
  readonly arrays: Set<string>;
  /** Characters that may still be read as commands, so that texts inside texts cannot multiply the work. */
  budget: number;
  /** A program that it has run and that may change what the same shell reads later. */
  reshaped: string | undefined;
}

export interface VariableChange extends ChangedVariable {
  readonly numeric: boolean;
  readonly span: Span;
  /** The range of `commands` that it affects; undefined when it lasts. */
  readonly only: { readonly first: number; readonly end: number } | undefined;
}

/** A use where the text of a variable is evaluated, so that it has to be a number. */
interface VariableUse {
  readonly name: string;
  readonly by: string;
  readonly span: Span;
}

export function doubt(scope: Scope, reason: string, at: Stretch): void {
  scope.reading.notUnderstood.push({ reason, span: scope.locate(at.pos, at.end) });
}

/** Notes that a variable of the shell gets a value that lasts. */
export function noteVariable(scope: Scope, name: string, value: "number" | "text", at: Stretch): void {
  scope.reading.variables.push({
    name,
    numeric: value === "number",
    passedOn: false,
    span: scope.locate(at.pos, at.end),
    only: undefined,
  });
}
