import { posix } from "node:path";
import type { ExecuteAccess, ToolAccess } from "../contract/access.ts";
import type { PlannedChange } from "../contract/history.ts";
import type { analyseCommand, StartState } from "./commands/analyse-command.ts";
import type { CommandAnalysis, Effect, SimpleCommand, Span, Word } from "./commands/analysis.ts";
import { hostOf } from "./hosts.ts";
import { anywhere, givenPath, spelledPath, wordPath } from "./paths/path-target.ts";
import {
  type HostPart,
  type PathContext,
  type PathPart,
  type PolicyPart,
  type Question,
  searchOf,
} from "./policy.ts";
import { harm, ownRisk, spanKey, spansOf } from "./rules/command-risk.ts";

/** `analyseCommand`, or a stub when no command is expected. */
export type ReadCommand = typeof analyseCommand;

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
      wordsNamingPaths(command).flatMap((word) => spelledPath(word, command.directory, context) ?? []),
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
    return read(access).commands.flatMap(({ accesses: named, directory }) =>
      named.flatMap(({ kind, target }) => {
        if (kind !== "write" && kind !== "delete") return [];
        const path = spelledPath(target, directory, context);
        return path === undefined ? [] : { kind, path, by: "command" as const };
      }),
    );
  });
}

/** Returns every directory that the commands of a call would read recursively, named by `searchOf`. */
export function directoriesRead(
  accesses: readonly ToolAccess[],
  context: PathContext,
  readCommand: ReadCommand,
  shells?: Question["shells"],
): readonly string[] {
  const read = reader(readCommand, context, shells);
  const paths = accesses.flatMap((access) => {
    if (access.kind !== "execute") return [];
    return read(access).commands.flatMap((command) =>
      command.accesses.flatMap(({ extent, target }) => {
        const path = spelledPath(target, command.directory, context);
        return path !== undefined && (extent === "deep" || extent === "visible")
          ? searchOf(path, extent)
          : [];
      }),
    );
  });
  return [...new Set(paths)];
}

function partsOfAccess(
  access: ToolAccess,
  context: PathContext,
  realPaths: ReadonlyMap<string, string>,
  read: (access: ExecuteAccess) => CommandAnalysis,
): PolicyPart[] {
  switch (access.kind) {
    case "execute":
      return commandParts(access.command, read(access), context, realPaths);
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

/** The last analysis, cached because the pipeline needs it for the paths of a call and then for the decision. */
let last: { readonly given: readonly unknown[]; readonly analysis: CommandAnalysis } | undefined;

function reader(
  readCommand: ReadCommand,
  { workspace }: PathContext,
  shells: Question["shells"],
): (access: ExecuteAccess) => CommandAnalysis {
  return ({ command, cwd, session }) => {
    const left = session === undefined ? undefined : shells?.get(session);
    const given = [command, cwd, workspace, left];
    if (last === undefined || !last.given.every((value, index) => value === given[index]))
      last = { given, analysis: readCommand(command, workspace, beginning(left, cwd, workspace)) };
    return last.analysis;
  };
}

/** Returns the state in which a command starts. A persistent shell keeps its directory unless the call sets one. */
function beginning(left: StartState | undefined, cwd: string | undefined, workspace: string): StartState {
  const begun = left ?? { directory: "" };
  return cwd === undefined ? begun : { ...begun, directory: seenFrom(workspace, cwd) };
}

/** Returns "" for the workspace itself. A path with ".." stays unchanged, because it may lead through links. */
function seenFrom(workspace: string, cwd: string): string {
  if (cwd.split("/").includes("..")) return cwd;
  const path = posix.join(workspace, posix.relative(workspace, posix.resolve(workspace, cwd)));
  if (path === workspace) return "";
  return path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : posix.normalize(cwd);
}

/**
 * Returns the parts of a command: every program, every file and host it names, and everything that is not understood.
 */
function commandParts(
  command: string,
  { commands, notUnderstood }: CommandAnalysis,
  context: PathContext,
  realPaths: ReadonlyMap<string, string>,
): PolicyPart[] {
  const at = (span: Span) => ({ command, span });
  const parts = commands.flatMap((simple): PolicyPart[] => {
    // A moved file is deleted at its old path, but not lost.
    const moved = spansOf(simple.effects.filter(({ risk }) => risk === "write"));
    const path = (kind: PathPart["kind"], word: Word): PathPart => ({
      kind,
      path: word.value ?? word.text,
      target: wordPath(word, simple.directory, context, realPaths),
      risk: kind !== "delete" ? kind : moved.has(spanKey(word.span)) ? "write" : "destructive",
      in: at(word.span),
    });
    return [
      ...(simple.words.length === 0 ? [] : [{ kind: "run" as const, command: simple, in: at(simple.span) }]),
      ...simple.accesses.map(({ kind, target, extent }): PolicyPart => {
        if (kind === "network") return { ...host(target), in: at(target.span) };
        const isTree = kind === "write" && writesTrees(simple);
        return { ...path(kind, target), extent: isTree ? "deep" : extent };
      }),
      ...unnamedWrites(simple).map(({ reason, span }): PolicyPart => {
        return { kind: "write", path: `files (${reason})`, target: anywhere, risk: "write", in: at(span) };
      }),
      ...mentions(simple).map((word): PolicyPart => ({ ...path("read", word), mentioned: true })),
      ...hostsMentioned(simple).map(
        (word): PolicyPart => ({ ...host(word), mentioned: true, in: at(word.span) }),
      ),
    ];
  });
  for (const { reason, span, isSyntax } of notUnderstood)
    parts.push({ kind: "unclear", reason, isSyntax, in: at(span) });
  return withoutRepeats(parts);
}

/** Removes repeated paths. Replaces all but the first few hundred unknown paths by one that may be anything. */
function withoutRepeats(parts: readonly PolicyPart[]): PolicyPart[] {
  const seen = new Set<string>();
  let open = 0;
  return parts.flatMap((part): PolicyPart[] => {
    if (!("target" in part)) return [part];
    const { kind, target, extent, mentioned, risk } = part;
    if (target.kind === "output") return [part];
    const isOpen = target.kind === "open";
    if (isOpen) open += 1;
    const one = isOpen && open > maxOpenPaths ? { ...part, target: anywhere } : part;
    const where = isOpen ? keyOf(one.target) : `${target.path}`;
    const key = [kind, extent, mentioned, risk, isOpen, where].join("\0");
    if (seen.has(key)) return [];
    seen.add(key);
    return [one];
  });
}

const maxOpenPaths = 300;

function keyOf(target: PathPart["target"]): string {
  if (target.kind !== "open") return "";
  return target.alternatives
    .map(({ names }) =>
      names.map((name) => (name === "**" ? name : `${name.noLeadingDot}${name.text}`)).join("/"),
    )
    .join("|");
}

/** Returns the words of a command that name files, or may. */
export function wordsNamingPaths(command: SimpleCommand): Word[] {
  const named = command.accesses.flatMap(({ kind, target }) => (kind === "network" ? [] : [target]));
  return [...named, ...mentions(command)];
}

function host(word: Word): HostPart {
  const known = word.value === undefined ? undefined : hostOf(word.value);
  return { kind: "connect", spelling: word.text, host: known };
}

/** Returns whether a command may write whole trees into a directory operand. */
function writesTrees({ program, words }: SimpleCommand): boolean {
  if (program === "cp") return words.some(({ value }) => /^-[^-]*[rRa]|^--(?:r|a)/.test(value ?? "-r"));
  return program !== undefined && /^(?:mv|rsync|tar|unzip|cpio|7z|bsdtar)$/.test(program);
}

/** Finds effects that write files which no word names, except those that git and mktemp write for themselves. */
function unnamedWrites({ program, words, effects, accesses }: SimpleCommand): readonly Effect[] {
  const isGit = program === "git" && !words.some(({ value }) => value === "apply");
  if (isGit || program === "mktemp") return [];
  const named = spansOf(accesses.map(({ target }) => target));
  return effects.filter(({ risk, span }) => risk === "write" && !named.has(spanKey(span)));
}

/** Finds the words of a program that runs code and may use them in any way. `--file=x` and `@x` also name a file. */
function mentions(command: SimpleCommand): Word[] {
  if (harm(ownRisk(command)) < harm("execute")) return [];
  const below = command.words.slice(1).filter(isBelowHome);
  return [...below, ...otherWords(command)].flatMap((word) => {
    if (word.value === undefined) return [word];
    const value = word.value.replace(/^--?[\w-]+=|^@/, "");
    return value === "" || /^-|:\/\//.test(value) ? [] : [{ ...word, value, parts: [value] }];
  });
}

/** Finds the addresses given to a program that runs code or connects. Without one it may connect to anything. */
function hostsMentioned(command: SimpleCommand): Word[] {
  const risk = ownRisk(command);
  if (harm(risk) < harm("execute")) return [];
  const found = otherWords(command).flatMap((word) => {
    const address = addressIn(word.value!);
    return address === undefined ? [] : [{ ...word, value: address, parts: [address] }];
  });
  const connects = command.effects.some((effect) => effect.risk === "network");
  const isNamed = found.length > 0 || command.accesses.some(({ kind }) => kind === "network");
  if (!connects || isNamed) return found;
  return [{ text: "a host that no word names", span: command.span, parts: [], value: undefined }];
}

/** Finds `https://host/…` anywhere in a text, or `user@host:path`. */
function addressIn(text: string): string | undefined {
  const at = text.indexOf("://");
  const [scheme] = /[a-z][a-z0-9+.-]*$/i.exec(text.slice(Math.max(0, at - 20), Math.max(0, at))) ?? [];
  if (scheme !== undefined) return scheme + text.slice(at).split(/[\s"']/, 1)[0]!;
  return /^[\w.-]+@[\w.-]+:/.exec(text.slice(0, 300))?.[0];
}

/** Recognizes `~/tool.py`, whose only unknown part is the home directory. */
function isBelowHome({ parts: [home, ...rest] }: Word): boolean {
  const isHome = typeof home === "object" && home.unknown === "home";
  return isHome && rest.length > 0 && rest.every((part) => typeof part === "string");
}

function otherWords({ words, accesses }: SimpleCommand): Word[] {
  const named = new Set(accesses.map(({ target }) => target.span.start));
  return words.slice(1).filter(({ value, span }) => value !== undefined && !named.has(span.start));
}
