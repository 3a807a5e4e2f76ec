import { posix } from "node:path";
import type { AbsentPath, Confinement } from "../contract/confinement.ts";
import { pathsNamedBy } from "../engine/policy/commands/named-paths.ts";
import { cannotWrite } from "../engine/policy/commands/names.ts";
import { contentHash } from "../lib/bytes/content-hash.ts";
import { expandBraces } from "../lib/glob/glob.ts";
import { oncePerObject } from "../lib/once-per-object.ts";
import {
  type CountingRules,
  hiddenOutside,
  hiddenPaths,
  liftReadOnly,
  literalNames,
  outsidePath,
  type PathPredicate,
  readOnlyByRules,
  readOnlyPaths,
  sendPathRules,
  shownFromGit,
} from "./confined-paths.ts";
import { isWithin } from "./guard-paths.ts";
import { meansLoopback } from "./hosts.ts";
import { hostsReached, mayConnect } from "./may-connect.ts";
import { compilePath } from "./paths/path-pattern.ts";
import {
  type Decision,
  outsideWorkspace,
  type PathContext,
  type PolicyMode,
  type PolicyPart,
  type PolicyVerdict,
  type Question,
} from "./policy.ts";
import type { Policy } from "./rules/compile-policy.ts";
import { isFor } from "./rules/rule.ts";

/** Returns the files and hosts that rules, the mode or the user allow to the commands of a call. Pure. */
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
  const isApproved = ({ verdict }: PolicyVerdict) => verdict === "ask" && answer === "approved";
  // A command reaches its own servers unasked; the approval of a command that names this machine is for all its servers.
  const isNamedHere = ({ part, rule }: PolicyVerdict) =>
    answer === "approved" && part.kind === "connect" && rule === undefined && meansLoopback(part.host);
  const approved = parts.filter((one) => isApproved(one) || isNamedHere(one)).map(({ part }) => part);
  const passed = parts.filter((one) => one.verdict === "allow" || isApproved(one));
  const granted = passed.map(({ part }) => part);
  const connects = mayConnect(approved, question, policy);
  const written = pathsOf(granted, "write", "delete");
  const rules = countingRules(policy, tool, mode);
  const { isReadOnly, lifted } = readOnlyExcept(rules, policy, tool, written);
  const isHidden = remembered(policy, `hidden ${keyOf(tool, policy)}`, () => hiddenPaths(rules));
  const ruled = (use: "read" | "write") => (mode === "paranoid" ? [] : outsidePaths(policy, tool, use));
  const read = [
    ...pathsOf(granted, "read").filter((path) => !isTemporary(path)),
    // Where a link is on the way, the command needs the path that it names, too.
    ...granted.flatMap((part) =>
      part.kind === "read" && part.target.kind === "known" && !isTemporary(part.target.path)
        ? [part.target.path]
        : [],
    ),
    ...pathsOf(approved, "read").filter((path) => !written.includes(path)),
    // Approving the command, or mode yolo, also allows the files that its words name.
    ...(mode === "yolo" ? granted : approved).flatMap((part) => wordsOf(part, question, policy.context)),
  ];
  return {
    ...given,
    mayConnect: connects,
    hosts: connects && hostsReached({ ...decision, parts: passed }, question, policy),
    readsOnly: onlyReads(question, granted, decision) || undefined,
    writableIfHidden: mode === "paranoid" ? undefined : policy.context.forCommands,
    isHidden,
    ...withShown(
      remembered(policy, `shown ${mode === "paranoid"} ${keyOf(tool, policy)}`, () => shownFromGit(rules)),
    ),
    hiddenOutside: remembered(policy, `hidden outside ${keyOf(tool, policy)}`, () =>
      hiddenOutside(rules, isHidden),
    ),
    isReadOnly,
    pathsKey: contentHash(JSON.stringify([rulesKey(policy, tool), mode === "paranoid", lifted])),
    pathRules: () => sendPathRules(rules, lifted),
    isReadOnlyByRules: remembered(policy, `by rules ${mode === "paranoid"} ${keyOf(tool, policy)}`, () =>
      readOnlyByRules(rules),
    ),
    // Paths at the root of the workspace that must not be created. Globs count for what they match at last.
    absent: spelledPaths(policy).filter(({ path, kind }) => kind === "names" || isReadOnly(path)),
    lifted,
    readable: unique([...ruled("read"), ...read.filter((path) => isOutside(path, policy.context))]),
    writable: unique([
      ...ruled("write"),
      ...written.filter((path) => isOutside(path, policy.context) && !isTemporary(path)),
    ]),
  };
}

function withShown(shown: Confinement["shownFromGit"]): Pick<Confinement, "shownFromGit"> {
  return shown ? { shownFromGit: shown } : {};
}

function pathsOf(parts: readonly PolicyPart[], ...kinds: readonly PolicyPart["kind"][]): readonly string[] {
  return parts.flatMap((part) => {
    if (!("target" in part) || part.target.kind !== "known" || !kinds.includes(part.kind)) return [];
    // A pattern stands for the entries of its folder.
    return [(part.target.real ?? part.target.path).replace(/(?<=.)\/\*$/, "")];
  });
}

/** Finds the files that the words of a command name, whatever it does with them. */
function wordsOf(part: PolicyPart, { realPaths }: Question, context: PathContext): readonly string[] {
  if (part.kind !== "run") return [];
  return pathsNamedBy(part.command, context.home).flatMap(({ path }) => {
    // The home directory itself is left out, because commands need a writable home.
    if (!path.startsWith("/") || isTemporary(path) || path === context.home) return [];
    return [realPaths.get(path) ?? posix.resolve(path), posix.resolve(path)];
  });
}

/** Returns whether a path is outside the workspace. Leaves out devices, which the sandbox has itself, and the root. */
function isOutside(path: string, { workspace }: PathContext): boolean {
  if (path === outsideWorkspace || /^\/(?:(?:dev|proc|sys)(?:\/|$)|$)/.test(path)) return false;
  return !isWithin(path, workspace);
}

/** Recognizes the temporary directory, because the session has its own. */
function isTemporary(path: string): boolean {
  return /^(?:\/var)?\/tmp(?:\/|$)/.test(path);
}

function unique(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)];
}

/**
 * Returns whether every command of the call only reads: by its name where a sandbox makes the view read-only, elsewhere only
 * if its program can do nothing else. Later commands of a session may write.
 */
function onlyReads(
  { accesses }: Question,
  granted: readonly PolicyPart[],
  { parts: all, sandbox }: Decision,
): boolean {
  const isHeld = sandbox === "bwrap" || sandbox === "landlock";
  return (
    accesses.length > 0 &&
    accesses.every((access) => access.kind === "execute" && access.session === undefined) &&
    granted.length === all.length &&
    granted.every((part) => {
      if (part.kind !== "run" && part.kind !== "unclear") return true;
      return part.readsOnly && (isHeld || (part.kind === "run" && cannotWrite(part.command)));
    })
  );
}

type Tool = Question["tool"];

function countingRules(policy: Policy, tool: Tool, mode: PolicyMode): CountingRules {
  return {
    context: policy.context,
    // Rules are compiled on first use.
    get paths() {
      return policy.paths;
    },
    get pathsThrough() {
      return policy.pathsThrough;
    },
    counts: (rule) => isFor(rule, tool),
    isParanoid: mode === "paranoid",
  };
}

/**
 * Returns whether commands may read but not write a path, except for paths allowed for this call. `lifted` are those of
 * them that would be read-only otherwise. The same rules have the same function, so that results can be cached.
 */
function readOnlyExcept(
  rules: CountingRules,
  policy: Policy,
  tool: Tool,
  allowed: readonly string[],
): { readonly isReadOnly: PathPredicate; readonly lifted: readonly string[] } {
  const key = `read-only ${rules.isParanoid} ${keyOf(tool, policy)}`;
  const isReadOnly = remembered(policy, key, () => readOnlyPaths(rules));
  const lifted = allowed.filter(isReadOnly);
  return { isReadOnly: liftReadOnly(isReadOnly, lifted, rules), lifted };
}

/** Returns everything that `isHidden` and `isReadOnly` depend on, except for the mode and the call. */
function rulesKey(policy: Policy, tool: Tool): string {
  return remembered(policy, `key ${keyOf(tool, policy)}`, () => {
    const { workspace, home } = policy.context;
    // Among rules that conflict the rank decides, so their order counts.
    const rules = policy.paths.highestFirst
      .filter((rule) => isFor(rule, tool))
      .map(({ effect, uses, glob, spares, rank, origin: { level } }) => {
        return [effect, [...uses], glob, spares, Number.isFinite(rank), level];
      });
    return contentHash(JSON.stringify([workspace, home, rules]));
  });
}

function spelledPaths(policy: Policy): readonly AbsentPath[] {
  return remembered(policy, "spelled", () => {
    const root = rootOf(policy);
    const found = new Map<string, AbsentPath>();
    for (const { effect, uses, glob } of policy.paths.highestFirst) {
      if (effect !== "protected" && !(effect === "ask" && uses.has("write"))) continue;
      for (const text of expandBraces(glob)) {
        const last = text.slice(text.lastIndexOf("/") + 1);
        const isOfNames = /[*?[]/.test(last) && !/^\*{2,}$/.test(last);
        const spelled = isOfNames ? `${text.slice(0, -last.length)}${anyName}` : text;
        for (const pattern of compilePath(spelled, policy.context, "exact")) {
          const isDirectory = pattern.at(-1) === "**";
          const names = literalNames(pattern.filter((segment, at) => segment !== "**" || at === 0));
          if (names === undefined || names.includes(".git")) continue;
          if (isOfNames) names[names.length - 1] = last;
          const path = `/${names.join("/")}`;
          if (!path.startsWith(`${root}/`) || (isDirectory && found.has(path))) continue;
          found.set(path, { path, kind: isOfNames ? "names" : isDirectory ? "directory" : "file" });
        }
      }
    }
    return [...found.values()];
  });
}

// Stands for a glob while the directory around it is resolved.
const anyName = "name";

/** Finds the files and directories outside the workspace that rules allow, with their whole content. */
function outsidePaths(policy: Policy, tool: Tool, use: "read" | "write"): readonly string[] {
  return policy.paths.highestFirst
    .filter((rule) => rule.effect === "allow" && rule.uses.has(use) && isFor(rule, tool))
    .flatMap(({ patterns }) => patterns.flatMap((pattern) => outsidePath(pattern, policy.context.workspace)));
}

function rootOf({ context: { workspace } }: Policy): string {
  return workspace === "/" ? "" : workspace;
}

/** Returns a key that is equal for tools to which the same rules apply. */
function keyOf(tool: Tool, policy: Policy): string {
  const aboutSome = remembered(policy, "about some tools", () =>
    policy.paths.highestFirst.filter(({ by }) => by !== undefined),
  );
  return aboutSome.map((rule) => (isFor(rule, tool) ? "1" : "0")).join("");
}

const cacheOf = oncePerObject((_: Policy) => new Map<string, unknown>());

function remembered<Value>(policy: Policy, key: string, make: () => Value): Value {
  const known = cacheOf(policy);
  if (!known.has(key)) known.set(key, make());
  return known.get(key) as Value;
}
