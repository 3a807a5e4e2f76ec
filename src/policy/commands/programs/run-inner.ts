import { parse } from "unbash";
import type { Span, Word } from "../analysis.ts";
import type { CommandReport } from "../command-report.ts";
import type { Scope } from "../syntax/scope.ts";

/**
 * "same": it runs in the shell that reads the command, so that `cd` and assignments last; "elsewhere": in a directory that
 * is only known when it runs.
 */
export type InnerShell = "same" | "own" | "elsewhere";

/** Reads words of a command that are a command themselves. */
export function runWords(
  words: readonly Word[],
  via: string,
  report: CommandReport,
  shell: InnerShell = "own",
): void {
  const [first] = words;
  const last = words.at(-1);
  if (first === undefined || last === undefined) return;
  const span = { start: first.span.start, end: Math.max(first.span.end, last.span.end) };
  const scope = innerScope(via, report, shell);
  if (scope.depth > deepest) report.doubts("commands in commands in commands, too deep to follow", first);
  else
    report.inner.push(() =>
      scope.reading.interpreter.interpretCommand({ span, words, assignments: [], redirections: [] }, scope),
    );
}

/** A text is read as commands by bash. */
export function runScript(script: Word, via: string, report: CommandReport, shell: InnerShell = "own"): void {
  const source = script.value;
  const scope = innerScope(via, report, shell);
  scope.reading.budget -= source?.length ?? 0;
  if (source === undefined) report.doubts(`the commands for ${via} are only known when it runs`, script);
  else if (scope.depth > deepest || scope.reading.budget < 0)
    report.doubts("commands in commands in commands, too deep to follow", script);
  else
    report.inner.push(() =>
      scope.reading.interpreter.readScript(parse(source), {
        ...scope,
        source,
        locate: locator(script, source),
      }),
    );
}

/** A text is read as commands by a shell that may not be bash, and differs where only bash has a meaning. */
export function runPlainScript(script: Word, via: string, report: CommandReport): void {
  if (onlyBash.test(script.value ?? "")) report.doubts("commands that shells may read differently", script);
  runScript(script, via, report);
}

const onlyBash =
  /\$['"[]|&>|[<>]\(|\[\[|(?<!\$)\(\(|\|&|<<<|;&|=\(|\$\{[^}]*['"!@]|[@!+*?]\(|\}[<>]|\b(?:function|coproc|select|time|declare|local|typeset|source|builtin|let)\b/;

/** Several words that a program joins by blanks before a shell reads them. */
export function joined(words: readonly Word[]): Word | undefined {
  const [first] = words;
  const last = words.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const known = words.every((word) => word.value !== undefined);
  const value = known ? words.map((word) => word.value).join(" ") : undefined;
  const text = words.map((word) => word.text).join(" ");
  const span = { start: first.span.start, end: last.span.end };
  return { text, span, parts: value === undefined ? [] : [value], value };
}

const deepest = 16;

function innerScope(via: string, report: CommandReport, shell: InnerShell): Scope {
  const { scope } = report;
  return {
    ...scope,
    within: [...scope.within, via],
    shell:
      shell === "same" ? scope.shell : { ...scope.shell, ...(shell === "elsewhere" && unknownDirectory) },
    rewritten: false,
    depth: scope.depth + 1,
  };
}

const unknownDirectory = { directory: undefined, moved: false };

/** Positions inside a word: exact if it is written as it reads, else the whole word. */
function locator(word: Word, source: string): (start: number, end: number) => Span {
  const offset = word.text.indexOf(source);
  const exact = offset >= 0 && word.text.length === word.span.end - word.span.start;
  if (!exact) return () => word.span;
  const base = word.span.start + offset;
  return (start, end) => ({ start: base + start, end: base + end });
}
