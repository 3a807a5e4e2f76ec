import type { Risk } from "../contract/access.ts";
import { matchSegment } from "../text/glob-segment.ts";
import { reasonOf } from "./guard-paths.ts";
import { matchNames, namesIn } from "./paths/path-pattern.ts";
import type { OpenPath, PathTarget } from "./paths/path-target.ts";
import { isAbout, mayBeRefused, type Names, namesOf, refusingRule, rulesNear } from "./paths/refuse-path.ts";
import type { Part, PathPart, Place, Question } from "./policy.ts";
import type { PathRule, Policy, Rule } from "./rules/compile-policy.ts";
import { matchExactly } from "./rules/match-exactly.ts";
import { matchLoosely } from "./rules/match-loosely.ts";
import { worse } from "./rules/own-risk.ts";
import type { PathUse } from "./rules/rule.ts";
import { baseName } from "./rules/run-rule.ts";

/** What the rules say of one part. */
export interface Finding {
  readonly risk: Risk;
  /** Holds in every mode. */
  readonly deny?: Because | undefined;
  /** A rule denies what the part may turn out to be. `aimed`: what is known of it points there. */
  readonly mayDeny?: (Because & { readonly aimed: boolean }) | undefined;
  /** The highest rule that asks or allows. */
  readonly wins?: Rule | undefined;
  /** Why it is asked although the mode would let it pass. */
  readonly doubt?: string | undefined;
}

interface Because {
  readonly rule: Rule;
  readonly reason: string;
}

type Tool = Question["tool"];

/** Finds the rules that are about a part of a call. */
export function findRules(part: Part, tool: Tool, policy: Policy): Finding {
  switch (part.kind) {
    case "use":
      return findToolRules(part, tool, policy);
    case "run":
      return findCommandRules(part, tool, policy);
    case "connect":
      return findHostRules(part, tool, policy);
    case "unclear":
      return { risk: "execute", doubt: part.reason };
    default:
      return part.mentioned ? findMentionRules(part, tool, policy) : findPathRules(part, tool, policy);
  }
}

function findToolRules(part: Extract<Part, { kind: "use" }>, tool: Tool, policy: Policy): Finding {
  const found = policy.tools.filter((rule) => isFor(rule, tool) && rule.tool(tool));
  return { risk: part.names === "nothing" ? part.risk : "read", ...strongest(found) };
}

function findCommandRules({ command }: Extract<Part, { kind: "run" }>, tool: Tool, policy: Policy): Finding {
  const { named, others, all } = policy.commands;
  const name = command.words[0]?.value;
  const near = name === undefined ? all : [...(named.get(baseName(name)) ?? []), ...others];
  const found: Rule[] = [];
  let mayDeny: Finding["mayDeny"];
  for (const rule of near) {
    if (!isFor(rule, tool)) continue;
    if (rule.effect === "allow") {
      if (matchExactly(rule.pattern, command, policy.place)) found.push(rule);
      continue;
    }
    const match = matchLoosely(rule.pattern, command);
    if (match === "yes" || (match === "maybe" && rule.effect === "ask")) found.push(rule);
    else if (match === "maybe") mayDeny = { rule, reason: "it may become what a rule denies", aimed: false };
  }
  return { risk: worse(command.risk, "execute"), ...strongest(found), mayDeny };
}

function findHostRules({ host }: Extract<Part, { kind: "connect" }>, tool: Tool, policy: Policy): Finding {
  const near = policy.hosts.filter((rule) => isFor(rule, tool));
  if (host !== undefined)
    return { risk: "network", ...strongest(near.filter((rule) => matchSegment(rule.host, host))) };
  const rule = near.findLast(({ effect }) => effect === "deny");
  const mayDeny = rule && { rule, reason: "it may become a host that a rule denies", aimed: false };
  return { risk: "network", mayDeny, wins: near.findLast(({ effect }) => effect === "ask") };
}

function findPathRules(part: PathPart, tool: Tool, policy: Policy): Finding {
  const { kind, target, risk } = part;
  if (target.kind === "output") return { risk };
  const doubt =
    part.in && lies(target, policy.place) !== "inside" ? outside(target, policy.place) : undefined;
  if (target.kind === "open") {
    const refused = findOpenRefusal(target.alternatives, kind, tool, policy);
    if (refused.deny) return { risk, ...refused };
    const asks = policy.paths.all.findLast(
      (rule) => rule.effect === "ask" && rule.uses.has(kind) && isFor(rule, tool),
    );
    return { risk, ...refused, doubt, wins: asks };
  }
  const spelled = namesOf(target.path);
  const all = target.real === undefined ? [spelled] : [namesOf(target.real), spelled];
  const deny = all.map((names) => refusal(policy, kind, names, tool)).find((found) => found !== undefined);
  if (deny !== undefined) return { risk, deny };
  const asks = all.flatMap((names) =>
    rulesNear(policy, names).filter((rule) => rule.effect === "ask" && isAbout(rule, names)),
  );
  const allows = rulesNear(policy, all[0]!).filter(
    (rule) => rule.effect === "allow" && isExactly(rule, all[0]!),
  );
  const found = [...asks, ...allows].filter((rule) => rule.uses.has(kind) && isFor(rule, tool));
  return { risk, doubt, ...strongest(found) };
}

/** What was only mentioned may be read, and may be written. */
function findMentionRules({ target, risk }: PathPart, tool: Tool, policy: Policy): Finding {
  if (target.kind !== "known") return { risk };
  const all =
    target.real === undefined ? [namesOf(target.path)] : [namesOf(target.real), namesOf(target.path)];
  for (const names of all) {
    const deny = refusal(policy, "read", names, tool);
    if (deny !== undefined) return { risk, deny };
  }
  for (const names of all) {
    const found = refusal(policy, "write", names, tool);
    if (found !== undefined) return { risk, mayDeny: { ...found, aimed: true } };
  }
  return { risk };
}

function findOpenRefusal(
  alternatives: readonly OpenPath[],
  use: PathUse,
  tool: Tool,
  policy: Policy,
): Pick<Finding, "deny" | "mayDeny"> {
  let mayDeny: Finding["mayDeny"];
  for (const path of alternatives) {
    const deny = path.sample === undefined ? undefined : refusal(policy, use, namesOf(path.sample), tool);
    if (deny !== undefined) return { deny };
    const found = mayBeRefused(policy, use, path, (rule) => isFor(rule, tool));
    if (found !== undefined && (mayDeny === undefined || found.aimed))
      mayDeny = {
        rule: found.rule,
        reason: `it may become a path that ${reasonOf(found.rule, use)}`,
        aimed: found.aimed,
      };
  }
  return { mayDeny };
}

function refusal(policy: Policy, use: PathUse, names: Names, tool: Tool): Because | undefined {
  const rule = refusingRule(policy, use, names, (candidate) => isFor(candidate, tool));
  return rule && { rule, reason: reasonOf(rule, use) };
}

function isExactly({ patterns }: PathRule, { exact }: Names): boolean {
  return patterns.some((pattern) => matchNames(pattern, exact, "whole"));
}

function isFor({ by }: Rule, tool: Tool): boolean {
  return by === undefined || by(tool);
}

/** Any rule that denies, else the highest of those that ask or allow. */
function strongest(rules: readonly Rule[]): Pick<Finding, "deny" | "wins"> {
  let deny: Rule | undefined;
  let wins: Rule | undefined;
  for (const rule of rules) {
    if (rule.effect === "deny") deny = deny === undefined || rule.rank > deny.rank ? rule : deny;
    else wins = wins === undefined || rule.rank > wins.rank ? rule : wins;
  }
  return deny === undefined ? { wins } : { deny: { rule: deny, reason: deny.because ?? "a rule denies it" } };
}

type Lie = "inside" | "outside" | "unknown";

/** Where a path of a command lies; for tools the environment sees to it. */
function lies(target: Exclude<PathTarget, { kind: "output" }>, { workspace }: Place): Lie {
  if (target.kind === "known") {
    const path = target.real ?? target.path;
    return path === workspace || path.startsWith(`${workspace}/`) || harmlessDevice.test(path)
      ? "inside"
      : "outside";
  }
  const root = namesIn(workspace);
  const isInside = ({ names }: OpenPath) =>
    root.every((name, place) => {
      const given = names[place];
      return (
        given !== undefined &&
        given !== "**" &&
        given.shape.kind === "literal" &&
        given.shape.text === name.toLowerCase()
      );
    });
  return target.alternatives.every(isInside) ? "inside" : "unknown";
}

const harmlessDevice = /^\/dev\/(?:null|zero|full|random|urandom|stdin|stdout|stderr|tty|fd\/\d+)$/;

function outside(target: Exclude<PathTarget, { kind: "output" }>, place: Place): string {
  return lies(target, place) === "outside"
    ? "it lies outside the workspace"
    : "it may lie outside the workspace";
}
