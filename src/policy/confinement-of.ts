import { posix } from "node:path";
import type { Confinement } from "../contract/confinement.ts";
import { wordsNamingPaths } from "./command-parts.ts";
import type { SimpleCommand } from "./commands/analysis.ts";
import { absentPaths, hiddenPaths, outsidePaths, readOnlyPaths } from "./confined-paths.ts";
import { hostsReached, mayConnect } from "./may-connect.ts";
import { spelledPath } from "./paths/path-target.ts";
import {
  type Decision,
  outsideWorkspace,
  type Part,
  type PartVerdict,
  type Place,
  type Question,
} from "./policy.ts";
import type { Policy } from "./rules/compile-policy.ts";

/**
 * What the commands of a call may reach: what rules allow, and what was allowed of this very call, be it by the mode or by
 * the person. Never what a rule denies. Pure.
 */
export function confinementOf(
  decision: Decision,
  question: Question,
  policy: Policy,
  answer: "approved" | "not asked",
): Confinement {
  const { parts, unconfined } = decision;
  const { mode, tool } = question;
  const { variables, limits, limitsAtMost } = policy.settings;
  const given = { variables, limits, limitsAtMost };
  if (unconfined) return { ...given, unconfined };
  const isApproved = ({ verdict }: PartVerdict) => verdict === "ask" && answer === "approved";
  const approved = parts.filter(isApproved).map(({ part }) => part);
  const passed = parts.filter((one) => one.verdict === "allow" || isApproved(one));
  const granted = passed.map(({ part }) => part);
  const connects = mayConnect(approved, question, policy);
  const written = pathsOf(granted, "write", "delete");
  const isReadOnly = readOnlyPaths(policy, tool, mode, written);
  const ruled = mode === "paranoid" ? nothing : outsidePaths(policy, tool);
  const read = [
    ...pathsOf(granted, "read").filter((path) => !isTemporary(path)),
    ...pathsOf(approved, "read").filter((path) => !written.includes(path)),
    // Who has seen the command, or lets everything pass, has also allowed the files that its words name.
    ...(mode === "yolo" ? granted : approved).flatMap((part) => wordsOf(part, question, policy.place)),
  ];
  return {
    ...given,
    ...(connects && {
      mayConnect: connects,
      hosts: hostsReached({ ...decision, parts: passed }, question, policy),
    }),
    isHidden: hiddenPaths(policy, tool),
    isReadOnly,
    absent: absentPaths(policy, isReadOnly, makesRepository(granted) ? "a repository" : "nothing"),
    readable: unique([...ruled.read, ...read.filter((path) => isOutside(path, policy.place))]),
    writable: unique([
      ...ruled.write,
      ...written.filter((path) => isOutside(path, policy.place) && !isTemporary(path)),
    ]),
  };
}

const nothing: ReturnType<typeof outsidePaths> = { read: [], write: [] };

function pathsOf(parts: readonly Part[], ...kinds: readonly Part["kind"][]): readonly string[] {
  return parts.flatMap((part) => {
    if (!("target" in part) || part.target.kind !== "known" || !kinds.includes(part.kind)) return [];
    return [part.target.real ?? part.target.path];
  });
}

/** Files that words of a command name, its program's among them, whatever it does with them. */
function wordsOf(part: Part, { realPaths }: Question, place: Place): readonly string[] {
  if (part.kind !== "run") return [];
  const { command } = part;
  return [...command.words, ...wordsNamingPaths(command)].flatMap((word) => {
    const spelled = spelledPath(word, command.directory, place);
    // `echo $HOME` means no file in it; and commands need a home that they can write.
    if (!spelled?.startsWith("/") || isTemporary(spelled) || spelled === place.home) return [];
    return [realPaths.get(spelled) ?? posix.resolve(spelled)];
  });
}

/** The sandbox has devices of its own; and nobody means all there is. */
function isOutside(path: string, { workspace }: Place): boolean {
  if (path === outsideWorkspace || /^\/(?:(?:dev|proc|sys)(?:\/|$)|$)/.test(path)) return false;
  return path !== workspace && !path.startsWith(workspace === "/" ? "/" : `${workspace}/`);
}

/** The session has a temporary directory of its own. */
function isTemporary(path: string): boolean {
  return /^(?:\/var)?\/tmp(?:\/|$)/.test(path);
}

function unique(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)];
}

/** `git init` or `git clone`, and nothing beside it that could put something of its own into the new repository. */
function makesRepository(granted: readonly Part[]): boolean {
  const commands = granted.flatMap((part) => (part.kind === "run" ? [part.command] : []));
  const makers = commands.filter(isRepositoryMaker);
  const others = commands.filter((command) => !isRepositoryMaker(command));
  return (
    makers.length > 0 &&
    others.every(({ risk }) => risk === "read") &&
    granted.every(({ kind }) => kind !== "unclear")
  );
}

function isRepositoryMaker({ program, words, effects }: SimpleCommand): boolean {
  const isMaker = program === "git" && /^(?:init|clone)$/.test(words[1]?.value ?? "");
  return isMaker && effects.every(({ risk }) => risk !== "execute");
}
