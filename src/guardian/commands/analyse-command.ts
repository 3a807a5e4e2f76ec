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
 * workspace.
 */
export function analyseCommand(
  command: string,
  start = "",
  from: Pick<Remains, "directory"> = atStart,
): CommandAnalysis {
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

const atStart = { directory: "" };

function unread(command: string, reason: string): CommandAnalysis {
  return {
    commands: [],
    notUnderstood: [{ reason, span: { start: 0, end: command.length } }],
    leaves: { directory: undefined, variables: [], functions: [] },
  };
}

function readCommand(command: string, start: string, from: Pick<Remains, "directory">): CommandAnalysis {
  const reading: Reading = {
    commands: [],
    notUnderstood: hiddenCharacters(command),
    start,
    variables: [],
    evaluated: [],
    functions: new Set(),
    arrays: new Set(),
    loops: [],
    budget: 4 * command.length + 65_536,
  };
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
  const leaves = {
    directory: shell.directory,
    variables: lastingVariables(reading),
    functions: [...reading.functions],
  };
  return { commands, notUnderstood, leaves };
}
