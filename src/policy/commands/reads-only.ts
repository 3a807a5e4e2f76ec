import { analyseCommand } from "./analyse-command.ts";

/** Whether every part of a command is understood and only reads, so that it changes no file. Pure. `cwd`: where it starts. */
export function readsOnly(command: string, cwd = ""): boolean {
  const { commands, notUnderstood } = analyseCommand(command, "", { directory: cwd });
  if (notUnderstood.length > 0 || commands.length === 0) return false;
  return commands.every(
    ({ risk, accesses }) => risk === "read" && accesses.every(({ kind }) => kind === "read"),
  );
}
