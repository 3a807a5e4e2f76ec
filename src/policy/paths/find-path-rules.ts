import { isWithin, reasonOf } from "../guard-paths.ts";
import type { PathContext, PathPart, Question } from "../policy.ts";
import type { Policy } from "../rules/compile-policy.ts";
import {
  type Because,
  isFor,
  type PathRule,
  type PathUse,
  type RuleFinding,
  strongest,
} from "../rules/rule.ts";
import { type Names, namesIn, namesOf } from "./path-names.ts";
import type { PathTarget } from "./path-target.ts";
import { isAbout, isExactly, refuses, refusingRule, rulesNear, rulesThrough } from "./refuse-path.ts";

type Tool = Question["tool"];

export function findPathRules(part: PathPart, question: Question, policy: Policy): RuleFinding {
  const { tool } = question;
  if (part.mentioned) return findMentionRules(part, question, policy);
  const { kind, target, risk } = part;
  if (target.kind === "output") return { risk };
  const doubt = part.in
    ? outsideCommandRoots(part, target, policy.context, question)
    : outsideToolRoots(part, target, policy.context);
  const all = namesToCheck(target, policy.context);
  const deny = part.namesOnly ? undefined : firstRefusal(all, kind, tool, policy);
  if (deny !== undefined) return { risk, deny };
  const mayDeny = kind === "delete" ? findInWorkspace(part, all[0], tool, policy) : undefined;
  return { risk, doubt, mayDeny, ...strongest(askingOrAllowing(all, part, tool, policy)) };
}

/** Finds the ask rules for the spelled and the real path, and the allow rules for the real path. */
function askingOrAllowing(
  all: readonly [Names, ...Names[]],
  { kind: use, by }: PathPart,
  tool: Tool,
  policy: Policy,
): PathRule[] {
  const applies = (rule: PathRule) => rule.uses.has(use) && isFor(rule, tool);
  const asksFor = (rule: PathRule) =>
    rule.effect === "ask" && applies(rule) && !(by === "git" && rule.origin.level === "built-in");
  const asks = all.flatMap((names) => [
    ...rulesNear(policy, names).filter((rule) => asksFor(rule) && isAbout(rule, use, names)),
    // Writing a directory writes everything in it.
    ...(use === "read" ? [] : rulesThrough(policy, use, names, asksFor)),
  ]);
  const allows = rulesNear(policy, all[0]).filter(
    (rule) => rule.effect === "allow" && applies(rule) && isExactly(rule, all[0]),
  );
  return [...asks, ...allows];
}

function namesToCheck(
  target: Extract<PathTarget, { kind: "known" }>,
  context: PathContext,
): readonly [Names, ...Names[]] {
  const spelled = namesOf(target.path, context);
  return target.real === undefined ? [spelled] : [namesOf(target.real, context), spelled];
}

function firstRefusal(all: readonly Names[], use: PathUse, tool: Tool, policy: Policy): Because | undefined {
  for (const names of all) {
    const rule = refusingRule(policy, use, names, (candidate) => isFor(candidate, tool));
    if (rule === undefined) continue;
    const reason = reasonOf(rule, use);
    return { rule, reason: `${isAbout(rule, use, names) ? "it" : "something in it"} ${reason}` };
  }
  return undefined;
}

/** Returns the refusal for an entry of the workspace, if it is deleted as a whole. */
function findInWorkspace(part: PathPart, names: Names, tool: Tool, policy: Policy): RuleFinding["mayDeny"] {
  if (!holdsWorkspace(names, policy)) return undefined;
  const rule = policy.paths.highestFirst.findLast(
    (candidate) => refuses(candidate, part.kind) && isFor(candidate, tool) && Number.isFinite(candidate.rank),
  );
  return rule && { rule, reason: `something in it ${reasonOf(rule, part.kind)}`, aimed: true };
}

/** Returns whether a path is the workspace or above it, and so contains everything that rules are about. */
function holdsWorkspace({ exact }: Names, { context }: Policy): boolean {
  const root = namesIn(context.workspace);
  return exact.length <= root.length && exact.every((name, at) => root[at] === name);
}

function findMentionRules(part: PathPart, question: Question, policy: Policy): RuleFinding {
  const { tool } = question;
  const { target, risk } = part;
  if (target.kind !== "known") return { risk };
  const doubt = outsideCommandRoots(part, target, policy.context, question);
  const all = namesToCheck(target, policy.context);
  const deny = firstRefusal(all, "read", tool, policy);
  if (deny !== undefined) return { risk, deny };
  const found = firstRefusal(all, "write", tool, policy);
  const allows = askingOrAllowing(all, part, tool, policy).filter(({ effect }) => effect === "allow");
  return { risk, doubt, mayDeny: found && { ...found, aimed: true }, ...strongest(allows) };
}

/** Returns the reason why a tool's path outside the workspace needs approval although the mode allows it. */
function outsideToolRoots(
  { kind }: PathPart,
  target: Exclude<PathTarget, { kind: "output" }>,
  { workspace, writable }: PathContext,
): string | undefined {
  if (kind === "read" || writable === undefined || target.kind !== "known") return undefined;
  const reached = target.real ?? target.path;
  const isOurs = [workspace, ...writable].some((directory) => isWithin(reached, directory));
  return isOurs ? undefined : "it is outside the workspace";
}

/** Returns the reason why a command's path outside the workspace needs approval although the mode allows it. */
function outsideCommandRoots(
  { kind }: PathPart,
  target: Exclude<PathTarget, { kind: "output" }>,
  { workspace }: PathContext,
  { sandbox, seenOutside }: Question,
): string | undefined {
  // In bubblewrap, /tmp belongs to the session.
  const ours = sandbox === "bwrap" ? [workspace, "/tmp"] : [workspace];
  const reached = target.real ?? target.path;
  const isOurs = ours.some((directory) => isWithin(reached, directory));
  const isShown =
    kind === "read" && sandbox === "bwrap" && (shownToAll.test(reached) || seenOutside?.has(reached));
  return isOurs || isShown || harmlessDevice.test(reached) ? undefined : "it is outside the workspace";
}

/** Matches paths that every command in bubblewrap may read, where a question would protect nothing. */
const shownToAll = /^\/(?:usr|etc|opt|sys|proc|dev|s?bin|lib(?:32|64|x32)?)(?:\/|$)/;

const harmlessDevice = /^\/dev\/(?:null|zero|full|random|urandom|stdin|stdout|stderr|tty|fd\/\d)$/;
