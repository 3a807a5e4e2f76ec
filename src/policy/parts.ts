import { posix } from "node:path";
import type { Access, ExecuteAccess, Risk } from "../contract/access.ts";
import { commandParts, wordsNamingPaths } from "./command-parts.ts";
import type { analyseCommand, Beginning } from "./commands/analyse-command.ts";
import type { CommandAnalysis } from "./commands/analysis.ts";
import { hostOf } from "./hosts.ts";
import { givenPath, spelledPath } from "./paths/path-target.ts";
import { type Part, type Place, type Question, searchOf } from "./policy.ts";

/** `analyseCommand`, or what stands for it where no command is expected. */
export type ReadCommand = typeof analyseCommand;

/** Everything that a call would do, each to be judged by itself. */
export function partsOf(
  { tool, accesses, realPaths, shells }: Question,
  place: Place,
  readCommand: ReadCommand,
): Part[] {
  const read = reader(readCommand, place, shells);
  const parts = accesses.flatMap((access) => partsOfAccess(access, place, realPaths, read));
  const risk = accesses.length === 0 ? tool.risk : "read";
  const names = parts.length === 0 ? "nothing" : "everything";
  return [{ kind: "use", tool: tool.name, server: tool.server, risk, names }, ...parts];
}

/** Every path that a call or its commands name, so that somebody can find out where they lead. */
export function pathsNamed(
  accesses: readonly Access[],
  place: Place,
  readCommand: ReadCommand,
  shells?: Question["shells"],
): readonly string[] {
  const read = reader(readCommand, place, shells);
  const paths = accesses.flatMap((access) => {
    if (access.kind === "network") return [];
    if (access.kind !== "execute") return [access.path];
    return read(access).commands.flatMap((command) =>
      wordsNamingPaths(command).flatMap((word) => spelledPath(word, command.directory, place) ?? []),
    );
  });
  return [...new Set(paths)];
}

/** Every directory that the commands of a call would read with all below it, as `searchOf` names it. */
export function directoriesRead(
  accesses: readonly Access[],
  place: Place,
  readCommand: ReadCommand,
  shells?: Question["shells"],
): readonly string[] {
  const read = reader(readCommand, place, shells);
  const paths = accesses.flatMap((access) => {
    if (access.kind !== "execute") return [];
    return read(access).commands.flatMap((command) =>
      command.accesses.flatMap(({ extent, target }) =>
        extent === "deep" || extent === "visible"
          ? [spelledPath(target, command.directory, place)].flatMap((path) =>
              path === undefined ? [] : searchOf(path, extent),
            )
          : [],
      ),
    );
  });
  return [...new Set(paths)];
}

function partsOfAccess(
  access: Access,
  place: Place,
  realPaths: ReadonlyMap<string, string>,
  read: (access: ExecuteAccess) => CommandAnalysis,
): Part[] {
  switch (access.kind) {
    case "execute":
      return commandParts(access.command, read(access), place, realPaths);
    case "network":
      return [{ kind: "connect", spelling: access.host, host: hostOf(access.host) }];
    default: {
      const target = givenPath(access, place, realPaths);
      const by = access.kind === "write" && access.by ? { by: access.by } : {};
      return [{ kind: access.kind, path: access.path, target, risk: riskOf(access), ...by }];
    }
  }
}

function riskOf(access: Exclude<Access, { kind: "execute" | "network" }>): Risk {
  if (access.kind !== "delete") return access.kind;
  return access.inEdit ? "write" : "destructive";
}

/** The stage asks for the paths of a call before it is judged: the same command is read once. */
let last:
  | (Pick<ExecuteAccess, "command" | "cwd"> & {
      readonly workspace: string;
      readonly left: Beginning | undefined;
      readonly analysis: CommandAnalysis;
    })
  | undefined;

function reader(
  readCommand: ReadCommand,
  { workspace }: Place,
  shells: Question["shells"],
): (access: ExecuteAccess) => CommandAnalysis {
  return ({ command, cwd, session }) => {
    const left = session === undefined ? undefined : shells?.get(session);
    const isLast =
      last?.command === command && last.cwd === cwd && last.workspace === workspace && last.left === left;
    if (last === undefined || !isLast) {
      const analysis = readCommand(command, workspace, beginning(left, cwd, workspace));
      last = { command, ...(cwd !== undefined && { cwd }), workspace, left, analysis };
    }
    return last.analysis;
  };
}

/** A shell that stays goes on where it is, unless it is sent elsewhere; another begins. */
function beginning(left: Beginning | undefined, cwd: string | undefined, workspace: string): Beginning {
  const begun = left ?? { directory: "" };
  return cwd === undefined ? begun : { ...begun, directory: seenFrom(workspace, cwd) };
}

/** "" for the workspace itself. What climbs stays as it is: links may lie on the way. */
function seenFrom(workspace: string, cwd: string): string {
  if (cwd.split("/").includes("..")) return cwd;
  const path = posix.join(workspace, posix.relative(workspace, posix.resolve(workspace, cwd)));
  if (path === workspace) return "";
  return path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : posix.normalize(cwd);
}
