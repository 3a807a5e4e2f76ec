import type { ToolRisk } from "../../contract/access.ts";
import type { CommandAccess, Effect, Word } from "./analysis.ts";
import type { ReadCommand, Scope } from "./syntax/scope.ts";

/** Reports the effects of the words after a program's name. */
export type ProgramRule = (words: readonly Word[], report: CommandReport) => void;

export class CommandReport {
  readonly program: string;
  readonly command: ReadCommand;
  readonly scope: Scope;
  readonly effects: Effect[] = [];
  readonly accesses: CommandAccess[] = [];
  /** Words `NAME=value` that set variables for the commands that the program runs. */
  readonly passed: Word[] = [];
  /** The commands that the program runs, which are analysed after the program itself is listed. */
  readonly inner: (() => void)[] = [];

  constructor(program: string, command: ReadCommand, scope: Scope) {
    this.program = program;
    this.command = command;
    this.scope = scope;
  }

  has(risk: ToolRisk, reason: string, word?: Word): void {
    this.effects.push({ risk, reason, span: word?.span ?? this.command.span });
  }

  reads(target: Word): void {
    const [only, ...more] = target.parts;
    const isPipe = typeof only === "object" && only.unknown === "file descriptor" && more.length === 0;
    if (!isPipe) this.accesses.push({ kind: "read", target });
  }

  looksAt(target: Word): void {
    this.accesses.push({ kind: "read", target, extent: "names" });
  }

  /** Reports that the program reads a directory and everything below it. */
  readsBelow(target: Word, extent: "deep" | "visible" = "deep"): void {
    this.accesses.push({ kind: "read", target, extent });
  }

  writes(target: Word, reason = `writes ${target.text}`): void {
    this.accesses.push({ kind: "write", target });
    this.has("write", reason, target);
  }

  deletes(target: Word, reason = `deletes ${target.text}`): void {
    this.accesses.push({ kind: "delete", target });
    this.has("destructive", reason, target);
  }

  connects(target: Word): void {
    this.accesses.push({ kind: "network", target });
    this.has("network", `connects to ${target.text}`, target);
  }

  /** Reports a part that is not understood, so that the call needs approval. */
  doubts(reason: string, word?: Word): void {
    this.scope.reading.notUnderstood.push({ reason, span: word?.span ?? this.command.span });
  }

  /** Reports that later commands of the same shell may have any meaning. */
  reshapes(): void {
    this.scope.reading.reshaped ??= `${this.program}, which may change what later commands mean`;
  }

  /** Reports that a variable of the shell gets a value that is known only at run time. */
  sets(name: string, word: Word, numeric = false): void {
    const passedOn =
      this.program === "export" || this.command.words.some(({ value }) => /^-\w*x/.test(value ?? ""));
    this.scope.reading.variables.push({ name, numeric, passedOn, span: word.span, only: undefined });
  }
}
