import type { Confinement } from "../../contract/confinement.ts";

/** How what a shell was begun with differs from what a later command would get. */
export interface Difference {
  /** The shell may do what the command must not: it cannot be used any more. */
  readonly isTooFree: boolean;
  /** What the command may reach and the shell may not, for display. */
  readonly lacks: readonly string[];
}

/**
 * A shell stays as it was started. Reads that the user allowed for one command stay allowed in it; writes,
 * or to connect to, holds for no other command, and other rules are another shell's. `isPrivate`: whether a path to read
 * is there, and kept from commands that have no leave.
 */
export function compareConfinements(
  shell: Confinement = {},
  command: Confinement = {},
  isPrivate: (path: string) => boolean = () => true,
): Difference {
  const hosts = (confinement: Confinement) => confinement.hosts ?? (confinement.mayConnect ? ["*"] : []);
  const isTooFree =
    (shell.unconfined ?? false) !== (command.unconfined ?? false) ||
    shell.isHidden !== command.isHidden ||
    // Differs from the default when a command was allowed to write a protected path.
    shell.isReadOnly !== command.isReadOnly ||
    missing(absent(command), absent(shell)).length > 0 ||
    settings(shell) !== settings(command) ||
    missing(hosts(shell), hosts(command)).length > 0 ||
    missing(shell.writable, command.writable).length > 0;
  if (isTooFree) return { isTooFree, lacks: [] };
  const lacks = [
    ...missing(hosts(command), hosts(shell)).map((host) => `connect to ${host === "*" ? "any host" : host}`),
    ...missing(command.writable, shell.writable).map((path) => `write ${path}`),
    ...missing(absent(shell), absent(command)).map((path) => `make ${path}`),
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
  return wanted.filter((text) => !there.includes(text) && !there.includes("*"));
}
