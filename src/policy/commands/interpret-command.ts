import type { ToolRisk } from "../../contract/access.ts";
import { worse } from "../rules/command-risk.ts";
import { type Effect, isNumeric, type Redirection, type Span, type Word } from "./analysis.ts";
import { CommandReport, type ProgramRule } from "./command-report.ts";
import { developmentPrograms } from "./programs/development.ts";
import { filePrograms } from "./programs/files.ts";
import { networkPrograms } from "./programs/network.ts";
import { shellBuiltins } from "./programs/shell-builtins.ts";
import { systemPrograms } from "./programs/system.ts";
import { textPrograms } from "./programs/text.ts";
import { wrappers } from "./programs/wrappers.ts";
import type { ReadCommand, Scope } from "./syntax/scope.ts";

/** Interprets one simple command, adds it to the list, and then analyses the commands that it runs. */
export function interpretCommand(command: ReadCommand, scope: Scope): void {
  const { reading } = scope;
  const [name, ...words] = command.words;
  const program = name?.value === undefined ? undefined : systemProgram(name.value);
  const report = new CommandReport(program ?? name?.text ?? "", command, scope);
  for (const redirection of command.redirections) interpretRedirection(redirection, report);
  if (name !== undefined) interpretProgram(name, program, words, report);
  const first = reading.commands.length;
  reading.commands.push({
    ...command,
    program,
    within: scope.within,
    directory: scope.shell.directory,
    risk: highest(report.effects),
    effects: report.effects,
    accesses: report.accesses,
  });
  for (const readInner of report.inner) readInner();
  const end = name === undefined ? undefined : reading.commands.length;
  const note = (name: string, value: Word | undefined, span: Span, first: number) =>
    reading.variables.push({
      name,
      numeric: isNumeric(value),
      passedOn: end !== undefined,
      span,
      only: end === undefined ? undefined : { first, end },
    });
  for (const word of report.passed)
    note(String(word.parts[0]).split("=")[0]!, undefined, word.span, first + 1);
  for (const assignment of command.assignments)
    note(assignment.name, assignment.value, assignment.span, first);
}

export function highest(effects: readonly Effect[]): ToolRisk {
  return effects.reduce<ToolRisk>((most, { risk }) => worse(most, risk), "read");
}

function interpretProgram(
  name: Word,
  program: string | undefined,
  words: readonly Word[],
  report: CommandReport,
) {
  if (name.value === undefined) {
    report.doubts("an expansion as the name of the program", name);
    return report.has("execute", "runs a program that is known only at run time", name);
  }
  if (report.scope.reading.shadowed.has(name.value)) {
    report.doubts("a name that an earlier command of this shell has given another meaning", name);
    report.has("execute", `${name.text} runs a function of this shell`, name);
  }
  if (program === undefined) {
    report.reads(name);
    return report.has("execute", `runs the file ${name.text}`, name);
  }
  const rule = programs.get(program);
  if (rule === undefined) return report.has("execute", `runs ${program}, which is not a known program`, name);
  if (words.length <= mostWords) return rule(words, report);
  report.doubts("too many words", name);
  report.has("execute", `${program} with ${words.length} words may do anything`, name);
}

const mostWords = 2000;

/** Returns the name of a program that is found on the PATH or in a system directory. */
function systemProgram(path: string): string | undefined {
  if (!path.includes("/")) return path;
  return /^(?:\/usr(?:\/local)?)?\/s?bin\/([^/]+)$/.exec(path)?.[1];
}

function interpretRedirection({ kind, target }: Redirection, report: CommandReport) {
  if (kind === "text" || kind === "descriptor") return;
  const path = target.value;
  if (path !== undefined && /^\/dev\/(?:null|stdin|stdout|stderr|zero|tty|fd\/\d+)$/.test(path)) return;
  const [start] = target.parts;
  if (typeof start === "string" && /^\/dev\/(?:tcp|udp)\//.test(start)) return report.connects(target);
  if (typeof start === "object" && start.unknown !== "home" && start.unknown !== "file descriptor")
    report.has("network", `${target.text} may become a network address of the shell`, target);
  if (kind === "read") return report.reads(target);
  if (kind === "read and write") report.reads(target);
  report.writes(target);
}

/** The rules of all known programs. Any other program counts as running code. */
const programs: ReadonlyMap<string, ProgramRule> = new Map(
  [
    shellBuiltins,
    wrappers,
    textPrograms,
    filePrograms,
    systemPrograms,
    networkPrograms,
    developmentPrograms,
  ].flatMap(Object.entries<ProgramRule>),
);
