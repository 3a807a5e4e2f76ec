import { parse } from "unbash";
import type { CommandAnalysis, NotUnderstood, SessionState } from "./analysis.ts";
import { interpretCommand } from "./interpret-command.ts";
import { throughMadeLinks } from "./made-links.ts";
import { readScript } from "./syntax/read-script.ts";
import type { Reading, Scope } from "./syntax/scope.ts";
import { lastingChanges, unsafeTexts, withVariableEffects } from "./variables.ts";

/**
 * Analyses a command as bash would read it, without running it: the programs, their words, and the files and hosts they
 * use. The result decides whether to ask, never whether a command is safe. Pure. `start` is the absolute path of the
 * workspace, so that a `cd` to it is recognised. `from` is the directory and the state of the shell, relative to the
 * workspace.
 */
export function analyseCommand(command: string, start = "", from: StartState = atStart): CommandAnalysis {
  const reason = tooMuchToRead(command);
  if (reason !== undefined) return unread(command, reason);
  try {
    return readCommand(command, start, from);
  } catch (error) {
    // Deep nesting that the checks above do not detect overflows the stack.
    if (error instanceof RangeError) return unread(command, "a command that is nested too deeply");
    throw error;
  }
}

/** The state of the shell: a new one in some directory, or one that earlier commands have used. */
export type StartState = Pick<SessionState, "directory"> & Partial<SessionState>;

const atStart: StartState = { directory: "" };

function unread(command: string, reason: string): CommandAnalysis {
  return {
    commands: [],
    notUnderstood: [{ reason, span: { start: 0, end: command.length } }],
    leaves: {
      directory: undefined,
      variables: [],
      functions: [],
      arrays: [],
      unclear: `a command that could not be parsed: ${reason}`,
    },
  };
}

function readCommand(command: string, start: string, from: StartState): CommandAnalysis {
  const whole = { start: 0, end: command.length };
  // The span is empty, so that no rule about the words of a command can allow the earlier changes.
  const before = { start: 0, end: 0 };
  const { variables = [], functions = [], arrays = [], unclear } = from;
  const reading: Reading = {
    interpreter: { readScript, interpretCommand },
    commands: [],
    notUnderstood: hiddenCharacters(command),
    start,
    variables: variables.map((left) => ({ ...left, numeric: false, span: before, only: undefined })),
    evaluated: [],
    functions: new Set(),
    shadowed: new Set(functions),
    arrays: new Set(arrays),
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
    rewritten: false,
    shell,
    reading,
    depth: 0,
  });
  const commands = withVariableEffects(reading);
  const notUnderstood = [...reading.notUnderstood, ...unsafeTexts(reading), ...throughMadeLinks(commands)];
  const [doubt] = notUnderstood;
  const leaves = {
    directory: shell.directory,
    variables: lastingChanges(reading),
    functions: [...new Set([...functions, ...reading.functions])],
    arrays: [...reading.arrays],
    unclear: unclear ?? reading.reshaped ?? (doubt && `a command that was not understood: ${doubt.reason}`),
  };
  return { commands, notUnderstood, leaves };
}

/** Finds characters that make a command look different from what it runs, or that no shell accepts. */
export function hiddenCharacters(command: string): NotUnderstood[] {
  return [...command.matchAll(hidden)].slice(0, 20).map(([character, ...rest]) => {
    const start = rest.at(-2) as unknown as number;
    const code = character.codePointAt(0)!;
    const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    const reason = code === 0 ? "a NUL character" : `an invisible character (${name})`;
    return { reason, span: { start, end: start + character.length } };
  });
}

/**
 * Matches control characters except tab and newline, unusual blanks, zero-width marks outside emoji, lone surrogates.
 */
const hidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
  /[\0-\x08\x0b-\x1f\x7f-\xa0\xad]|\u034f|\u180b|\u180c|\u180d|\u180f|[\ufe00-\ufe0e]|[\u061c\u115f\u1160\u1680\u180e\u2000-\u200c\u200e\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164]|(?<![\xa9\xae\u203c-\u3299\udc00-\udfff\d#*])\ufe0f|(?<![\u2600-\u27bf\udc00-\udfff]|\ufe0f)\u200d|[\ufeff\uffa0\ufff9-\ufffb]|\udb40[\udc00-\udfff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * Returns the reason why a command is not parsed: parsing would take too long. Real commands are far below these
 * limits.
 */
export function tooMuchToRead(command: string): string | undefined {
  // Linux does not accept an argument of 128 KiB.
  if (command.length >= 128 * 1024) return "a command that is too long";
  if (deepest(command) > 100) return "a command that is nested too deeply";
  if (command.split("<<").length > 501) return "too many here-documents";
  return undefined;
}

/** Returns the nesting depth of parentheses and braces, including quoted ones. */
function deepest(command: string): number {
  let depth = 0;
  let most = 0;
  for (const [sign] of command.matchAll(/[(){}]/g)) {
    depth = sign === "(" || sign === "{" ? depth + 1 : Math.max(0, depth - 1);
    most = Math.max(most, depth);
  }
  return most;
}

/** Returns whether a command is understood completely and only reads. Pure. `cwd` is its start directory. */
export function readsOnly(command: string, cwd = ""): boolean {
  const { commands, notUnderstood } = analyseCommand(command, "", { directory: cwd });
  if (notUnderstood.length > 0 || commands.length === 0) return false;
  return commands.every(
    ({ risk, accesses }) => risk === "read" && accesses.every(({ kind }) => kind === "read"),
  );
}
