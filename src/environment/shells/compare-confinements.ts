import type { Confinement } from "../../contract/confinement.ts";

/**
 * Compares the confinement of a running shell with that of a later command. A shell keeps its confinement. It may read
 * more than the command, but all other permissions must match; it connects as each command may. `isTooFree`: the shell has a permission that the command
 * must not have. `lacks`: the permissions of the command that the shell does not have, for display. `isPrivate` tells
 * whether a readable path exists and is hidden from commands without permission.
 */
export function compareConfinements(
  shell: Confinement = {},
  command: Confinement = {},
  isPrivate: (path: string) => boolean = () => true,
): { readonly isTooFree: boolean; readonly lacks: readonly string[] } {
  const isTooFree =
    (shell.unconfined ?? false) !== (command.unconfined ?? false) ||
    shell.isHidden !== command.isHidden ||
    // These functions differ when a command was allowed to write a protected path.
    shell.isReadOnly !== command.isReadOnly ||
    missing(absent(command), absent(shell)).length > 0 ||
    settings(shell) !== settings(command) ||
    missing(shell.writable, command.writable).length > 0 ||
    missing(shell.writableIfHidden, command.writableIfHidden).length > 0;
  if (isTooFree) return { isTooFree, lacks: [] };
  const lacks = [
    ...missing(command.writable, shell.writable).map((path) => `write ${path}`),
    ...missing(absent(shell), absent(command)).map((path) => `create ${path}`),
    ...missing(command.readable, shell.readable)
      .filter(isPrivate)
      .map((path) => `read ${path}`),
  ];
  return { isTooFree, lacks };
}

function absent({ absent: paths = [] }: Confinement): readonly string[] {
  return paths.map(({ path }) => path);
}

function settings({ variables, limits, limitsAtMost }: Confinement): string {
  return JSON.stringify([variables, limits, limitsAtMost]);
}

function missing(wanted: readonly string[] = [], there: readonly string[] = []): readonly string[] {
  return wanted.filter((text) => !there.includes(text));
}
