import type { Risk } from "../../contract/access.ts";
import type { Effect, Redirection, Span, Word } from "./analysis.ts";
import { programs } from "./programs/programs.ts";
import { isNumeric } from "./syntax/read-arithmetic.ts";
import type { ReadCommand, Scope } from "./syntax/scope.ts";
import { Verdict } from "./verdict.ts";

/** Judges one simple command, puts it on the list, and then reads what it runs in turn. */
export function interpretCommand(command: ReadCommand, scope: Scope): void {
  const { reading } = scope;
  const [name, ...words] = command.words;
  const program = name?.value === undefined ? undefined : systemProgram(name.value);
  const verdict = new Verdict(program ?? name?.text ?? "", command, scope);
  for (const redirection of command.redirections) judgeRedirection(redirection, verdict);
  if (name !== undefined) judgeProgram(name, program, words, verdict);
  const first = reading.commands.length;
  reading.commands.push({
    ...command,
    program,
    within: scope.within,
    directory: scope.shell.directory,
    risk: highest(verdict.effects),
    effects: verdict.effects,
    accesses: verdict.accesses,
    deferred: scope.deferred,
  });
  for (const readInner of verdict.inner) readInner();
  const end = name === undefined ? undefined : reading.commands.length;
  const note = (variable: string, value: Word | undefined, span: Span, from: number) =>
    reading.variables.push({
      name: variable,
      numeric: isNumeric(value),
      passedOn: end !== undefined,
      span,
      first: from,
      end,
    });
  for (const word of verdict.passed)
    note(String(word.parts[0]).split("=")[0]!, undefined, word.span, first + 1);
  for (const assignment of command.assignments)
    note(assignment.name, assignment.value, assignment.span, first);
}

const ascending: readonly Risk[] = ["read", "write", "execute", "network", "destructive"];

/** The most harmful of some effects. */
export function highest(effects: readonly Effect[]): Risk {
  const most = effects.reduce((top, { risk }) => Math.max(top, ascending.indexOf(risk)), 0);
  return ascending[most]!;
}

function judgeProgram(name: Word, program: string | undefined, words: readonly Word[], verdict: Verdict) {
  if (name.value === undefined) {
    verdict.doubts("an expansion where the program's name stands", name);
    return verdict.has("execute", "runs a program that is only known when it runs", name);
  }
  if (verdict.scope.reading.shadowed.has(name.value)) {
    verdict.doubts("a name that an earlier command of this shell has given another meaning", name);
    verdict.has("execute", `${name.text} runs a function of this shell`, name);
  }
  if (program === undefined) {
    verdict.reads(name);
    return verdict.has("execute", `runs the file ${name.text}`, name);
  }
  const judge = programs.get(program);
  if (judge === undefined) return verdict.has("execute", `runs ${program}, of which nothing is known`, name);
  if (words.length <= mostWords) return judge(words, verdict);
  verdict.doubts("more words than anybody would judge", name);
  verdict.has("execute", `${program} with ${words.length} words may do anything`, name);
}

const mostWords = 2000;

/** The name of a program that is found by name, or stands where the system keeps its own. */
function systemProgram(path: string): string | undefined {
  if (!path.includes("/")) return path;
  return /^(?:\/usr(?:\/local)?)?\/s?bin\/([^/]+)$/.exec(path)?.[1];
}

function judgeRedirection({ kind, target }: Redirection, verdict: Verdict) {
  if (kind === "text" || kind === "descriptor") return;
  const path = target.value;
  if (path !== undefined && /^\/dev\/(?:null|stdin|stdout|stderr|zero|tty|fd\/\d+)$/.test(path)) return;
  const [start] = target.parts;
  if (typeof start === "string" && /^\/dev\/(?:tcp|udp)\//.test(start)) return verdict.connects(target);
  if (typeof start === "object" && start.unknown !== "home" && start.unknown !== "file descriptor")
    verdict.has("network", `${target.text} may become a network address of the shell`, target);
  if (kind === "read") return verdict.reads(target);
  if (kind === "read and write") verdict.reads(target);
  verdict.writes(target);
}
