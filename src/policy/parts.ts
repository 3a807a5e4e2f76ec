import type { ExecuteAccess, ToolAccess } from "../contract/access.ts";
import type { PlannedChange } from "../contract/history.ts";
import type { CommandAnalysis, SimpleCommand, Span } from "../engine/policy/commands/command.ts";
import { hostsNamedBy } from "../engine/policy/commands/named-hosts.ts";
import { pathsNamedBy, startOf } from "../engine/policy/commands/named-paths.ts";
import type { readCommand } from "../engine/policy/commands/read-command.ts";
import { hostOf } from "./hosts.ts";
import { givenPath, namedPath } from "./paths/path-target.ts";
import type { PathContext, PathPart, PolicyPart, Question } from "./policy.ts";

/** `readCommand`, or a stub when no command is expected. */
export type ReadCommand = typeof readCommand;

/** Splits a call into its actions, each of which gets a separate verdict. */
export function partsOf(
  { tool, accesses, realPaths, shells }: Question,
  context: PathContext,
  readCommand: ReadCommand,
): PolicyPart[] {
  const read = reader(readCommand, context, shells);
  const parts = accesses.flatMap((access) => partsOfAccess(access, context, realPaths, read));
  const risk = accesses.length === 0 ? tool.risk : "read";
  const names = parts.length === 0 ? "nothing" : "everything";
  const { name, server, definition } = tool;
  return [{ kind: "use", tool: name, server, definition, risk, names }, ...parts];
}

/** Returns every path that a call or its commands name. The caller resolves their links. */
export function pathsNamed(
  accesses: readonly ToolAccess[],
  context: PathContext,
  readCommand: ReadCommand,
  shells?: Question["shells"],
): readonly string[] {
  const read = reader(readCommand, context, shells);
  const paths = accesses.flatMap((access) => {
    if (access.kind === "network") return [];
    if (access.kind !== "execute") return [access.path];
    return read(access).commands.flatMap((command) =>
      pathsNamedBy(command, context.home).map(({ path }) => path),
    );
  });
  return [...new Set(paths)];
}

/**
 * Returns every path that a call or its commands would change, without git's own files, because git restores them
 * itself.
 */
export function changesPlanned(
  accesses: readonly ToolAccess[],
  context: PathContext,
  readCommand: ReadCommand,
  shells?: Question["shells"],
): readonly PlannedChange[] {
  const read = reader(readCommand, context, shells);
  return accesses.flatMap((access): readonly PlannedChange[] => {
    if (access.kind === "delete") return [{ kind: "delete", path: access.path, by: "tool" }];
    if (access.kind === "write" && access.by !== "git")
      return [{ kind: access.link === "itself" ? "move" : "write", path: access.path, by: "tool" }];
    if (access.kind !== "execute") return [];
    return read(access).commands.flatMap((command) =>
      pathsNamedBy(command, context.home).flatMap(({ kind, path }) =>
        kind === "write" || kind === "delete" ? [{ kind, path, by: "command" as const }] : [],
      ),
    );
  });
}

function partsOfAccess(
  access: ToolAccess,
  context: PathContext,
  realPaths: ReadonlyMap<string, string>,
  read: (access: ExecuteAccess) => CommandAnalysis,
): PolicyPart[] {
  switch (access.kind) {
    case "execute":
      return commandParts(access, read(access), context, realPaths);
    case "network":
      return [{ kind: "connect", spelling: access.host, host: hostOf(access.host) }];
    default: {
      const target = givenPath(access, context, realPaths);
      const by = access.kind === "write" ? access.by : undefined;
      const risk = access.kind === "delete" ? "destructive" : access.kind;
      return [{ kind: access.kind, path: access.path, target, risk, by }];
    }
  }
}

function reader(
  readCommand: ReadCommand,
  { workspace }: PathContext,
  shells: Question["shells"],
): (access: ExecuteAccess) => CommandAnalysis {
  return ({ command, cwd, session }) => {
    const left = session === undefined ? undefined : shells?.get(session);
    // A persistent shell keeps its folder unless the call sets one.
    const directory = cwd === undefined ? (left ?? { directory: "" }).directory : startOf(cwd, workspace);
    return readCommand(command, workspace, { ...left, directory });
  };
}

/** Returns the parts of a command: every program, every file and host that it names, and everything that is not plain. */
function commandParts(
  { command, session }: ExecuteAccess,
  analysis: CommandAnalysis,
  context: PathContext,
  realPaths: ReadonlyMap<string, string>,
): PolicyPart[] {
  const at = (span: Span) => ({ command, span });
  const readsOnly = (analysis.readsOnly && session === undefined) || undefined;
  const ofCommand = (simple: SimpleCommand): PolicyPart[] => [
    ...(simple.words.length === 0
      ? []
      : [{ kind: "run" as const, command: simple, readsOnly, in: at(simple.span) }]),
    ...pathsNamedBy(simple, context.home).map(
      ({ kind, word, path, namesOnly, isMoved, isMentioned }): PathPart => ({
        kind,
        path: word.value ?? word.text,
        target: namedPath(path, context, realPaths),
        risk: kind !== "delete" ? kind : isMoved ? "write" : "destructive",
        in: at(word.span),
        namesOnly,
        ...(isMentioned && { mentioned: true }),
      }),
    ),
    ...hostsNamedBy(simple).map(
      ({ word, address, isMentioned }): PolicyPart => ({
        kind: "connect",
        spelling: word.text,
        host: address === undefined ? undefined : hostOf(address),
        in: at(word.span),
        ...(isMentioned && { mentioned: true }),
      }),
    ),
  ];
  return [
    ...analysis.commands.flatMap(ofCommand),
    ...analysis.notPlain.map(({ reason, span, isSyntax }): PolicyPart => {
      return { kind: "unclear", reason, isSyntax, readsOnly, in: at(span) };
    }),
  ];
}
