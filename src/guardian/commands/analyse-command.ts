import { parse } from "unbash";
import type { CommandAnalysis } from "./analysis.ts";
import { hiddenCharacters } from "./hidden-characters.ts";
import { readScript } from "./syntax/read-script.ts";
import type { Reading } from "./syntax/scope.ts";
import { commandsTouched } from "./variables/commands-touched.ts";
import { unsafeArithmetic } from "./variables/unsafe-arithmetic.ts";

/**
 * Reads a command as bash would, without running it: which programs, with which words, what they do and touch. It may
 * decide whether to ask, never whether it is safe; what it cannot understand it says. Pure.
 */
export function analyseCommand(command: string): CommandAnalysis {
  const whole = { start: 0, end: command.length };
  // Linux takes no longer argument, so no shell can be given this as a command.
  if (command.length >= longestArgument)
    return { commands: [], notUnderstood: [{ reason: "a command too long to be read", span: whole }] };
  const reading: Reading = {
    commands: [],
    notUnderstood: hiddenCharacters(command),
    variables: [],
    arithmetic: [],
    loops: [],
    budget: 4 * longestArgument,
  };
  readScript(parse(command), {
    source: command,
    locate: (start, end) => ({ start, end }),
    within: [],
    deferred: false,
    shell: { directory: "", moved: false },
    reading,
    depth: 0,
  });
  const notUnderstood = [...reading.notUnderstood, ...unsafeArithmetic(reading)];
  return { commands: commandsTouched(reading), notUnderstood };
}

const longestArgument = 128 * 1024;
