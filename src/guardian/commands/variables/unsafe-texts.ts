import type { NotUnderstood } from "../analysis.ts";
import type { Reading } from "../syntax/scope.ts";

/**
 * The variables whose text would be evaluated and that are not sure to hold a number: all but those that this command
 * sets, and sets to numbers only.
 */
export function unsafeTexts({ evaluated, variables }: Reading): NotUnderstood[] {
  const numeric = new Map<string, boolean>();
  for (const variable of variables)
    numeric.set(variable.name, (numeric.get(variable.name) ?? true) && variable.numeric);
  return evaluated
    .filter(({ name }) => !(numeric.get(name) ?? alwaysNumbers.has(name)))
    .map(({ name, by, span }) => ({
      reason: `${by} evaluates the text of ${name}, which may hold a command`,
      span,
    }));
}

/** Variables that bash itself fills with numbers. */
const alwaysNumbers: ReadonlySet<string> = new Set(
  "RANDOM SRANDOM SECONDS EPOCHSECONDS LINENO UID EUID PPID BASHPID SHLVL COLUMNS LINES OPTIND".split(" "),
);
