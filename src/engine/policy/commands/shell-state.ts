import { posix } from "node:path";
import type { ExecuteAccess } from "../../../contract/access.ts";
import type { ShellHistory } from "../../../contract/process.ts";
import { boundedMemo } from "../../../lib/bounded-cache.ts";
import type { StartState } from "./command.ts";
import { startOf } from "./named-paths.ts";
import { readCommand } from "./read-command.ts";

/**
 * Returns the state in which the next command of a shell starts. Commands that are not plain may have given its words
 * another meaning, so no rule allows anything after them. Pure.
 */
export function shellState({ commands, isWhole, cwd }: ShellHistory, workspace: string): StartState {
  const doubts = [...new Set(commands.flatMap((command) => doubtAbout(command) ?? []))];
  const missing = isWhole ? undefined : "this shell has run more commands than could be remembered";
  return {
    directory: cwd === undefined ? undefined : startOf(cwd, workspace),
    notPlain: doubts.length === 0 ? missing : `this shell has run ${doubts.join("; ")}`,
  };
}

/** Returns the history of a shell after one more command. Pure. */
export function historyAfter(
  { command, cwd }: ExecuteAccess,
  workspace: string,
  before: ShellHistory = { commands: [], isWhole: true, cwd: workspace },
): ShellHistory {
  const start = cwd === undefined ? before.cwd : posix.resolve(workspace, cwd);
  const directory = start === undefined ? undefined : startOf(start, workspace);
  const end = readCommand(command, workspace, { directory }).directory;
  return {
    ...before,
    commands: [...new Set([...before.commands, command])],
    cwd: end === undefined || end.startsWith("~") ? undefined : posix.resolve(workspace, end),
  };
}

/** All commands of a shell count for every later one. */
const doubtAbout: (command: string) => string | undefined = boundedMemo(
  20_000,
  (command: string) => readCommand(command).notPlain[0]?.reason,
);
