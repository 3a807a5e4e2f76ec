import type { Access, Risk } from "../contract/access.ts";
import { analyseCommand } from "./commands/analyse-command.ts";
import type { CommandAccess, CommandAnalysis, Effect, SimpleCommand, Word } from "./commands/analysis.ts";
import { hostOf } from "./hosts.ts";
import { anywhere, givenPath, spelledPath, wordPath } from "./paths/path-target.ts";
import type { Part, PathPart, Place, Question, Segment } from "./policy.ts";
import { readsTrees } from "./recursive-readers.ts";
import { harm, ownRisk, sameSpan } from "./rules/own-risk.ts";

/** Everything that a call would do, each to be judged by itself. */
export function partsOf({ tool, accesses, realPaths }: Question, place: Place): Part[] {
  const names = accesses.length === 0 ? "nothing" : "everything";
  const use: Part = { kind: "use", tool: tool.name, server: tool.server, risk: tool.risk, names };
  return [use, ...accesses.flatMap((access) => partsOfAccess(access, place, realPaths))];
}

/** Every path that a call or its commands name, so that somebody can find out where they lead. */
export function pathsNamed(accesses: readonly Access[], place: Place): readonly string[] {
  const paths = accesses.flatMap((access) => {
    if (access.kind === "network") return [];
    if (access.kind !== "execute") return [access.path];
    return analysed(access.command).commands.flatMap((command) =>
      [
        ...accessesOf(command).flatMap(({ kind, target }) => (kind === "network" ? [] : [target])),
        ...mentions(command),
      ].flatMap((word) => spelledPath(word, command.directory, place) ?? []),
    );
  });
  return [...new Set(paths)];
}

function partsOfAccess(access: Access, place: Place, realPaths: ReadonlyMap<string, string>): Part[] {
  switch (access.kind) {
    case "execute":
      return partsOfCommand(access.command, place, realPaths);
    case "network":
      return [{ kind: "connect", spelling: access.host, host: hostOf(access.host) }];
    default: {
      const risk = riskOfPath(access);
      return [
        { kind: access.kind, path: access.path, target: givenPath(access.path, place, realPaths), risk },
      ];
    }
  }
}

function riskOfPath(access: Exclude<Access, { kind: "execute" | "network" }>): Risk {
  if (access.kind !== "delete") return access.kind;
  return access.inEdit ? "write" : "destructive";
}

function partsOfCommand(command: string, place: Place, realPaths: ReadonlyMap<string, string>): Part[] {
  const { commands, notUnderstood } = analysed(command);
  const parts: Part[] = [];
  for (const simple of commands) {
    if (simple.words.length > 0)
      parts.push({ kind: "run", command: simple, in: { command, span: simple.span } });
    for (const { kind, target } of accessesOf(simple)) {
      const segment = { command, span: target.span };
      if (kind === "network") parts.push(connection(target, segment));
      else parts.push(pathPart(kind, target, simple, segment, place, realPaths));
    }
    for (const { reason, span } of unnamedWrites(simple))
      parts.push({
        kind: "write",
        path: `files (${reason})`,
        target: anywhere,
        risk: "write",
        in: { command, span },
      });
    for (const word of mentions(simple)) {
      const segment = { command, span: word.span };
      parts.push({ ...pathPart("read", word, simple, segment, place, realPaths), mentioned: true });
    }
  }
  for (const { reason, span } of notUnderstood)
    parts.push({ kind: "unclear", reason, in: { command, span } });
  if (parts.length > 0) return parts;
  return [
    {
      kind: "unclear",
      reason: "a command without a program",
      in: { command, span: { start: 0, end: command.length } },
    },
  ];
}

function connection(target: Word, segment: Segment): Part {
  const host = target.value === undefined ? undefined : hostOf(target.value);
  return { kind: "connect", spelling: target.text, host, in: segment };
}

function pathPart(
  kind: Exclude<CommandAccess["kind"], "network">,
  word: Word,
  command: SimpleCommand,
  segment: Segment,
  place: Place,
  realPaths: ReadonlyMap<string, string>,
): PathPart {
  const moved = command.effects.some(({ risk, span }) => risk === "write" && sameSpan(span, word.span));
  const risk = kind === "delete" && !moved ? "destructive" : kind === "delete" ? "write" : kind;
  const target = wordPath(word, command.directory, place, realPaths);
  const whole = kind === "read" && readsTrees(command) ? { whole: true as const } : {};
  return { kind, path: word.value ?? word.text, target, risk, ...whole, in: segment };
}

/** Who goes down and is told nothing of where begins here. */
function accessesOf(command: SimpleCommand): readonly CommandAccess[] {
  const { accesses, span } = command;
  if (!readsTrees(command) || accesses.some(({ kind }) => kind === "read")) return accesses;
  return [...accesses, { kind: "read", target: { text: ".", span, parts: ["."], value: "." } }];
}

/** Effects that write files which no word names. What git and mktemp write by themselves is theirs. */
function unnamedWrites({ program, words, effects, accesses }: SimpleCommand): readonly Effect[] {
  const keepsToItself =
    program === "mktemp" || (program === "git" && !words.some(({ value }) => value === "apply"));
  if (keepsToItself) return [];
  const isNamed = ({ span }: Effect) => accesses.some(({ target }) => sameSpan(target.span, span));
  return effects.filter((effect) => effect.risk === "write" && !isNamed(effect));
}

/**
 * Words given to a program that runs code, of which nobody knows what it does with them. `--file=x` and `@x` name a file
 * as well.
 */
function mentions(command: SimpleCommand): Word[] {
  if (harm(ownRisk(command)) < harm("execute")) return [];
  const named = new Set(command.accesses.map(({ target }) => target.span.start));
  return command.words.slice(1).flatMap((word) => {
    if (named.has(word.span.start) || word.value === undefined) return [];
    const value = word.value.replace(/^--?[\w-]+=|^@/, "");
    return value === "" || value.startsWith("-") ? [] : [{ ...word, value, parts: [value] }];
  });
}

/** The stage asks for the paths of a call before it is judged: the same command is read once. */
let last: { readonly command: string; readonly analysis: CommandAnalysis } | undefined;

function analysed(command: string): CommandAnalysis {
  if (last?.command !== command) last = { command, analysis: analyseCommand(command) };
  return last.analysis;
}
