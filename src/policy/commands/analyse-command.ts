import { parse } from "unbash";
import type { CommandAnalysis, Remains } from "./analysis.ts";
import { hiddenCharacters } from "./hidden-characters.ts";
import { throughMadeLinks } from "./made-links.ts";
import { readScript } from "./syntax/read-script.ts";
import type { Reading, Scope } from "./syntax/scope.ts";
import { tooMuchToRead } from "./too-much-to-read.ts";
import { commandsTouched, lastingVariables } from "./variables/commands-touched.ts";
import { unsafeTexts } from "./variables/unsafe-texts.ts";

/**
 * Reads a command as bash would, without running it: which programs, with which words, what they do and touch. It may
 * decide whether to ask, never whether it is safe; what it cannot understand it says. Pure. `start` is the absolute path
 * of the workspace, so that `cd` to that very place is known to lead there; `from` tells where it starts, as seen from the
 * workspace, and what earlier commands left in its shell.
 */
export function analyseCommand(command: string, start = "", from: Beginning = atStart): CommandAnalysis {
  const reason = tooMuchToRead(command);
  if (reason !== undefined) return unread(command, reason);
  try {
    return readCommand(command, start, from);
  } catch (error) {
    // The stack is the last measure of depth, whatever the nesting is made of.
    if (error instanceof RangeError) return unread(command, "a command nested too deep to be read");
    throw error;
  }
}

/** A new shell in some directory, or one that others have used. */
export type Beginning = Pick<Remains, "directory"> & Partial<Remains>;

const atStart: Beginning = { directory: "" };

function unread(command: string, reason: string): CommandAnalysis {
  return {
    commands: [],
    notUnderstood: [{ reason, span: { start: 0, end: command.length } }],
    leaves: {
      directory: undefined,
      variables: [],
      functions: [],
      arrays: [],
      unclear: `a command that could not be read: ${reason}`,
    },
  };
}

function readCommand(command: string, start: string, from: Beginning): CommandAnalysis {
  const whole = { start: 0, end: command.length };
  // What none of its words says, no rule about its words allows.
  const before = { start: 0, end: 0 };
  const { variables = [], functions = [], arrays = [], unclear } = from;
  const reading: Reading = {
    commands: [],
    notUnderstood: hiddenCharacters(command),
    start,
    variables: variables.map((left) => ({ ...left, numeric: false, span: before, first: 0, end: undefined })),
    evaluated: [],
    functions: new Set(),
    shadowed: new Set(functions),
    arrays: new Set(arrays),
    loops: [],
    budget: 4 * command.length + 65_536,
    reshaped: undefined,
  };
  if (unclear !== undefined)
    reading.notUnderstood.push({ reason: `this shell has run ${unclear}`, span: whole });
  const shell: Scope["shell"] = { directory: from.directory, moved: false };
  readScript(parse(command), {
    source: command,
    locate: (start, end) => ({ start, end }),
    within: [],
    deferred: false,
    rewritten: false,
    shell,
    reading,
    depth: 0,
  });
  const commands = commandsTouched(reading);
  const notUnderstood = [...reading.notUnderstood, ...unsafeTexts(reading), ...throughMadeLinks(commands)];
  const [doubt] = notUnderstood;
  const leaves = {
    directory: shell.directory,
    variables: lastingVariables(reading),
    functions: [...new Set([...functions, ...reading.functions])],
    arrays: [...reading.arrays],
    unclear: unclear ?? reading.reshaped ?? (doubt && `what could not be understood: ${doubt.reason}`),
  };
  return { commands, notUnderstood, leaves };
}
