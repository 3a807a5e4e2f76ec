import { parse } from "unbash";
import type { Span, Word } from "../analysis.ts";
import type { CommandReport } from "../command-report.ts";
import type { Scope } from "../syntax/scope.ts";

/**
 * Where an inner command runs: in the same shell, so that `cd` lasts, or in its own process, possibly in a directory
 * that is known only at run time.
 */
export type InnerShell = "same" | "own" | "unknown";

/** Analyses words that are themselves a command. */
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
  if (scope.depth > deepest) report.doubts("commands nested too deep to follow", first);
  else
    report.inner.push(() =>
      scope.reading.interpreter.interpretCommand({ span, words, assignments: [], redirections: [] }, scope),
    );
}

/** Analyses a text that bash runs as commands. */
export function runScript(script: Word, via: string, report: CommandReport, shell: InnerShell = "own"): void {
  const source = script.value;
  const scope = innerScope(via, report, shell);
  scope.reading.budget -= source?.length ?? 0;
  if (source === undefined) report.doubts(`the commands for ${via} are known only at run time`, script);
  else if (scope.depth > deepest || scope.reading.budget < 0)
    report.doubts("commands nested too deep to follow", script);
  else
    report.inner.push(() =>
      scope.reading.interpreter.readScript(parse(source), {
        ...scope,
        source,
        locate: locator(script, source),
      }),
    );
}

/** Analyses a text that a shell other than bash may run. Refuses text that shells read differently. */
export function runPlainScript(script: Word, via: string, report: CommandReport): void {
  if (onlyBash.test(script.value ?? "")) report.doubts("commands that shells may read differently", script);
  runScript(script, via, report);
}

const onlyBash =
  /\$['"[]|&>|[<>]\(|\[\[|(?<!\$)\(\(|\|&|<<<|;&|=\(|\$\{[^}]*['"!@]|[@!+*?]\(|\}[<>]|\b(?:function|coproc|select|time|declare|local|typeset|source|builtin|let)\b/;

/** Joins words with blanks, as a program does before a shell runs them. */
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
    shell: shell === "same" ? scope.shell : { ...scope.shell, ...(shell === "unknown" && unknownDirectory) },
    rewritten: false,
    depth: scope.depth + 1,
  };
}

const unknownDirectory = { directory: undefined, moved: false };

/** Maps positions inside a word: exactly if the word is written as it reads, else to the whole word. */
function locator(word: Word, source: string): (start: number, end: number) => Span {
  const offset = word.text.indexOf(source);
  const exact = offset >= 0 && word.text.length === word.span.end - word.span.start;
  if (!exact) return () => word.span;
  const base = word.span.start + offset;
  return (start, end) => ({ start: base + start, end: base + end });
}
