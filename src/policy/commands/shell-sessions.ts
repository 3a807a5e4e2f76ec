import { posix } from "node:path";
import type { ExecuteAccess } from "../../contract/access.ts";
import type { ShellHistory } from "../../contract/process.ts";
import { boundedMemo } from "../../lib/bounded-cache.ts";
import { analyseCommand } from "./analyse-command.ts";
import type { ChangedVariable, SessionState } from "./analysis.ts";

/**
 * Returns the state for analysing the next command of a shell. Includes everything that an earlier command may have
 * left, even if that command may have failed or its effect may have been undone. Pure.
 */
export function sessionStateOf({ commands, isWhole, cwd }: ShellHistory, workspace: string): SessionState {
  const lefts = commands.map((command) => remainsOf({ command, workspace }));
  const variables = new Map<string, ChangedVariable>();
  for (const left of lefts.flatMap((remains) => remains.variables))
    variables.set(left.name, {
      ...left,
      passedOn: left.passedOn || variables.get(left.name)?.passedOn === true,
    });
  const functions = [...new Set(lefts.flatMap((remains) => remains.functions))];
  const handler = functions.find((name) => everywhere.test(name));
  const unclear = lefts.find((remains) => remains.unclear !== undefined)?.unclear;
  return {
    directory: cwd === undefined ? undefined : seenFrom(workspace, cwd),
    variables: [...variables.values()],
    functions,
    arrays: [...new Set(lefts.flatMap((remains) => remains.arrays))],
    unclear:
      unclear ??
      (handler && `a function ${handler}, which runs with other commands`) ??
      (isWhole ? undefined : "more commands than could be remembered"),
  };
}

/** Returns the history of a shell after one more command. Pure. */
export function historyAfter(
  { command, cwd }: ExecuteAccess,
  workspace: string,
  before: ShellHistory = { commands: [], isWhole: true, cwd: workspace },
): ShellHistory {
  const start = cwd === undefined ? before.cwd : posix.resolve(workspace, cwd);
  const { leaves } = analyseCommand(command, workspace, {
    directory: start === undefined ? undefined : seenFrom(workspace, start),
  });
  return {
    ...before,
    commands: [...new Set([...before.commands, command])],
    cwd: leaves.directory === undefined ? undefined : posix.resolve(workspace, leaves.directory),
  };
}

/** Names of functions that bash calls by itself, or that Toolcrib's own lines for the shell call. */
const everywhere = /^(?:command_not_found_handle|builtin|eval|printf|cd|exec|source|command)$/;

function seenFrom(workspace: string, cwd: string): string {
  if (cwd === workspace) return "";
  return cwd.startsWith(`${workspace}/`) ? cwd.slice(workspace.length + 1) : cwd;
}

/** Returns the state that one command leaves. Cached, because all commands of a session count for every later one. */
const remainsOf: (given: { readonly command: string; readonly workspace: string }) => SessionState =
  boundedMemo(
    // The cache holds more commands than a shell remembers, so that no call has to analyse all of them again.
    20_000,
    ({ command, workspace }) => analyseCommand(command, workspace).leaves,
    ({ command, workspace }) => `${workspace}\0${command}`,
  );
