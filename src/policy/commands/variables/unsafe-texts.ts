import type { NotUnderstood } from "../analysis.ts";
import type { Reading } from "../syntax/scope.ts";

/**
 * The variables whose text would be evaluated and that are not sure to hold a number: all but those that this command
 * sets, and sets to numbers only; and those that bash evaluates when they are set, or whenever it is about to read on.
 */
export function unsafeTexts({ evaluated, variables }: Reading): NotUnderstood[] {
  const numeric = new Map<string, boolean>();
  for (const variable of variables)
    numeric.set(variable.name, (numeric.get(variable.name) ?? true) && variable.numeric);
  const assigned = variables
    .filter((variable) => evaluatedByBash.has(variable.name) && !variable.numeric)
    .map(({ name, span }) => ({
      reason: `bash evaluates what ${name} is given, which may hold a command`,
      span,
    }));
  const used = evaluated
    .filter(({ name }) => !(numeric.get(name) ?? alwaysNumbers.has(name)))
    .map(({ name, by, span }) => ({
      reason: `${by} evaluates the text of ${name}, which may hold a command`,
      span,
    }));
  const run = variables
    .filter(({ name }) => runByBash.test(name))
    .map(({ name, span }) => ({ reason: `bash runs what ${name} holds between commands`, span }));
  return [...assigned, ...run, ...used];
}

/** Of a shell that stays. */
const runByBash = /^(?:PROMPT_COMMAND|PS[0-2]|MAIL|MAILPATH)$/;

/** Variables that bash keeps as numbers: it works out what they are given. */
const evaluatedByBash: ReadonlySet<string> = new Set(
  "RANDOM SRANDOM SECONDS OPTIND HISTCMD BASHPID LINENO EPOCHSECONDS UID EUID PPID BASH_SUBSHELL SHLVL".split(
    " ",
  ),
);

/** Variables that bash itself fills with numbers. */
const alwaysNumbers: ReadonlySet<string> = new Set(
  "RANDOM SRANDOM SECONDS EPOCHSECONDS LINENO UID EUID PPID BASHPID SHLVL COLUMNS LINES OPTIND".split(" "),
);
