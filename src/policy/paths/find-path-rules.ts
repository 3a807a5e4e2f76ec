import type { SandboxLevel } from "../../contract/call.ts";
import { isWithin, reasonOf } from "../guard-paths.ts";
import { type PathContext, type PathPart, type Question, searchOf } from "../policy.ts";
import type { Policy } from "../rules/compile-policy.ts";
import {
  type Because,
  isFor,
  type PathRule,
  type PathUse,
  type Rule,
  type RuleFinding,
  strongest,
} from "../rules/rule.ts";
import { protectedAhead, rulesAhead } from "./open-path-rules.ts";
import { fold, type Names, namesIn, namesOf } from "./path-names.ts";
import { literalOf, type OpenPath, type PathTarget } from "./path-target.ts";
import {
  isAbout,
  isExactly,
  refuses,
  refusingRule,
  rulesBelow,
  rulesNear,
  rulesThrough,
} from "./refuse-path.ts";

type Tool = Question["tool"];

export function findPathRules(part: PathPart, question: Question, policy: Policy): RuleFinding {
  const { tool } = question;
  if (part.mentioned) return findMentionRules(part, question, policy);
  const { kind, target, risk } = part;
  if (target.kind === "output") return { risk };
  const doubt = part.in
    ? outsideCommandRoots(part, target, policy.context, question.sandbox)
    : outsideToolRoots(part, target, policy.context);
  if (target.kind === "open") {
    if (part.extent === "names") return { risk, doubt };
    return { risk, doubt, ...findOpenRules(target.alternatives, kind, tool, policy) };
  }
  const all = namesToCheck(target, policy.context);
  const deny = part.extent === "names" ? undefined : firstRefusal(all, kind, tool, policy);
  if (deny !== undefined) return { risk, deny };
  const mayDeny = findBelow(part, target.spelled, all[0], question, policy);
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

/** Returns the refusal for an entry inside a directory that is read, written or deleted as a whole. */
function findBelow(
  part: PathPart,
  spelled: string,
  names: Names,
  { tool, sandbox, refusedBelow }: Question,
  policy: Policy,
): RuleFinding["mayDeny"] {
  const counts = (rule: PathRule) => refuses(rule, part.kind) && isFor(rule, tool);
  if (part.kind === "delete")
    return holdsWorkspace(names, policy) ? something(part, policy, counts) : undefined;
  if (part.extent !== "deep" && part.extent !== "visible") return undefined;
  const [named] = part.extent === "deep" ? rulesBelow(policy, "delete", names, counts) : [];
  if (named !== undefined)
    return { rule: named, reason: `something in it ${reasonOf(named, part.kind)}`, aimed: true };
  // These sandboxes hide secrets, so no search is needed.
  if (part.kind === "write" || sandbox === "bwrap" || sandbox === "seatbelt") return undefined;
  const search = searchOf(spelled, part.extent);
  // Most secrets are hidden files, so an unsearched directory does not block a search of visible files.
  if (!refusedBelow?.has(search))
    return part.extent === "visible" ? undefined : something(part, policy, counts);
  const found = refusedBelow.get(search);
  if (found === undefined) return undefined;
  const decides = (one: PathRule) => counts(one) || (one.effect === "open" && isFor(one, tool));
  const rule = refusingRule(policy, "read", namesOf(found, policy.context), decides);
  if (rule !== undefined)
    return { rule, reason: `it also reads ${found}, which ${reasonOf(rule, "read")}`, aimed: true };
  const any = something(part, policy, counts);
  return any && { ...any, reason: `it may follow ${found}, which leads out of the workspace`, aimed: true };
}

/** Returns whether a path is the workspace or above it, and so contains everything that rules are about. */
function holdsWorkspace({ exact }: Names, { context }: Policy): boolean {
  const root = namesIn(context.workspace);
  return exact.length <= root.length && exact.every((name, at) => root[at] === name);
}

function something(
  part: PathPart,
  { paths }: Policy,
  counts: (rule: PathRule) => boolean,
): RuleFinding["mayDeny"] {
  const rule = paths.highestFirst.findLast(
    (candidate) => counts(candidate) && Number.isFinite(candidate.rank),
  );
  return (
    rule && { rule, reason: `something in it ${reasonOf(rule, part.kind)}`, aimed: part.kind === "delete" }
  );
}

function findMentionRules(part: PathPart, { tool, sandbox }: Question, policy: Policy): RuleFinding {
  const { target, risk } = part;
  if (target.kind !== "known") return { risk };
  const doubt = outsideCommandRoots(part, target, policy.context, sandbox);
  const all = namesToCheck(target, policy.context);
  const deny = firstRefusal(all, "read", tool, policy);
  if (deny !== undefined) return { risk, deny };
  const found = firstRefusal(all, "write", tool, policy);
  return { risk, doubt, mayDeny: found && { ...found, aimed: true } };
}

function findOpenRules(
  alternatives: readonly OpenPath[],
  use: PathUse,
  tool: Tool,
  policy: Policy,
): Pick<RuleFinding, "deny" | "mayDeny" | "wins"> {
  let mayDeny: RuleFinding["mayDeny"];
  let wins: Rule | undefined;
  for (const path of alternatives) {
    const known = path.sample === undefined ? [] : [namesOf(path.sample, policy.context)];
    const deny = firstRefusal(known, use, tool, policy);
    if (deny !== undefined) return { deny };
    const rule = use === "delete" ? protectedAhead(policy, path, (rule) => isFor(rule, tool)) : undefined;
    if (rule !== undefined)
      return { deny: { rule, reason: `it may become a path that ${reasonOf(rule, use)}` } };
    const found = rulesAhead(policy, path, (rule) => refuses(rule, use) && isFor(rule, tool));
    if (found !== undefined && (mayDeny === undefined || found.meeting === "aimed")) {
      const reason = `it may become a path that ${reasonOf(found.rule, use)}`;
      mayDeny = { rule: found.rule, reason, aimed: found.meeting === "aimed" };
    }
    wins ??= rulesAhead(
      policy,
      path,
      (rule) => rule.effect === "ask" && rule.uses.has(use) && isFor(rule, tool),
    )?.rule;
  }
  return { mayDeny, wins };
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
  sandbox: SandboxLevel,
): string | undefined {
  // In bubblewrap, /tmp belongs to the session.
  const ours = sandbox === "bwrap" ? [workspace, "/tmp"] : [workspace];
  if (target.kind === "open")
    return target.alternatives.every((open) => ours.some((directory) => isInside(open, directory)))
      ? undefined
      : "it may be outside the workspace";
  const reached = target.real ?? target.path;
  const isOurs = ours.some((directory) => isWithin(reached, directory));
  const isShown = kind === "read" && sandbox === "bwrap" && shownToAll.test(reached);
  return isOurs || isShown || harmlessDevice.test(reached) ? undefined : "it is outside the workspace";
}

/** Matches paths that every command in bubblewrap may read, where a question would protect nothing. */
const shownToAll = /^\/(?:usr|etc|opt|sys|proc|dev|s?bin|lib(?:32|64|x32)?)(?:\/|$)/;

const harmlessDevice = /^\/dev\/(?:null|zero|full|random|urandom|stdin|stdout|stderr|tty|fd\/\d)$/;

function isInside({ names }: OpenPath, directory: string): boolean {
  return namesIn(directory).every((name, index) => {
    const given = names[index];
    return given !== undefined && literalOf(given) === fold(name);
  });
}
