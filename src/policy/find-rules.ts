import type { SimpleCommand } from "../engine/policy/commands/command.ts";
import { cannotWrite, isHarmlessAlone } from "../engine/policy/commands/names.ts";
import { matchSegment } from "../lib/glob/glob-segment.ts";
import { kindOfHost } from "./hosts.ts";
import { findPathRules } from "./paths/find-path-rules.ts";
import type { PolicyPart, Question } from "./policy.ts";
import { harm, worse } from "./rules/command-risk.ts";
import type { Policy } from "./rules/compile-policy.ts";
import { matchExactly } from "./rules/match-exactly.ts";
import { matchLoosely, namesOf } from "./rules/match-loosely.ts";
import {
  type CommandRule,
  type HostRule,
  isFor,
  type Rule,
  type RuleFinding,
  strongest,
  type ToolRule,
} from "./rules/rule.ts";

type Tool = Question["tool"];

export function findRules(part: PolicyPart, question: Question, policy: Policy): RuleFinding {
  const { tool } = question;
  switch (part.kind) {
    case "use":
      return findToolRules(part, tool, policy);
    case "run":
      return findCommandRules(part, question, policy);
    case "connect":
      return findHostRules(part, tool, policy);
    case "unclear":
      return { risk: "execute", doubt: part.reason };
    default:
      return findPathRules(part, question, policy);
  }
}

function findToolRules(part: Extract<PolicyPart, { kind: "use" }>, tool: Tool, policy: Policy): RuleFinding {
  const found = policy.tools.filter((rule) => isFor(rule, tool) && rule.tool(tool));
  const changed = definitionBefore(tool, policy) !== undefined;
  return {
    risk: part.names === "nothing" ? part.risk : "read",
    ...strongest(found.filter((rule) => isDefined(rule, tool))),
    ...(changed && { doubt: "its definition has changed since you allowed it" }),
  };
}

/** Whether the tool is as it was when the rule was added. The definition is unknown when rules are only explained. */
function isDefined({ definition }: ToolRule, tool: Tool): boolean {
  return definition === undefined || tool.definition === undefined || definition === tool.definition;
}

/** Returns the hash of the definition that the user allowed last for this tool, if it has another one now. */
export function definitionBefore(tool: Tool, { tools }: Pick<Policy, "tools">): string | undefined {
  const allowing = tools.filter(
    (rule) =>
      rule.effect === "allow" && rule.definition !== undefined && isFor(rule, tool) && rule.tool(tool),
  );
  return allowing.some((rule) => isDefined(rule, tool)) ? undefined : allowing.at(-1)?.definition;
}

function findCommandRules(part: RunPart, question: Question, policy: Policy): RuleFinding {
  const { tool } = question;
  const { command } = part;
  const { named, others, highestFirst } = policy.commands;
  const name = command.words[0]?.value;
  const about = () => namesOf(command).flatMap((program) => named.get(program) ?? []);
  const near = name === undefined ? highestFirst : [...new Set([...about(), ...others])];
  const found: Rule[] = [];
  let mayDeny: RuleFinding["mayDeny"];
  for (const rule of near) {
    if (!isFor(rule, tool)) continue;
    if (rule.effect === "allow") {
      if (matchExactly(rule.pattern, command, policy.context) && coversClass(rule, part, question))
        found.push(rule);
      continue;
    }
    const match = matchLoosely(rule.pattern, command);
    if (match === "yes" || (match === "maybe" && rule.effect === "ask")) found.push(rule);
    else if (match === "maybe")
      mayDeny ??= { rule, reason: "it may be a command that a rule denies", aimed: false };
  }
  const unconfined = unconfinedBy(command, question, policy);
  const risk = worse(command.risk, "execute");
  return { risk, ...strongest(found), mayDeny, unconfined };
}

type RunPart = Extract<PolicyPart, { kind: "run" }>;

/**
 * Whether a rule about a class, such as `allow run @read`, covers a program that is known to only read: in a read-only view,
 * or if it can do nothing else. A program that the repository has chosen runs in the view of its tool.
 */
function coversClass({ pattern }: CommandRule, { command, readsOnly }: RunPart, question: Question): boolean {
  if (pattern.kind !== "class" || harm(pattern.risk) >= harm("execute")) return true;
  const { sandbox, asksBeforeCommands } = question;
  const hasView = readsOnly && !asksBeforeCommands && (sandbox === "bwrap" || sandbox === "landlock");
  return command.risk !== "read" || hasView === true || cannotWrite(command);
}

export function unconfinedBy(
  command: SimpleCommand,
  { tool }: Question,
  { unconfined, context }: Policy,
): CommandRule | undefined {
  const covers = ({ pattern }: CommandRule) =>
    pattern.kind === "class"
      ? command.isPlain && pattern.risk === "read" && isHarmlessAlone(command)
      : matchExactly(pattern, command, context);
  return unconfined.findLast((rule) => isFor(rule, tool) && covers(rule));
}

function findHostRules(
  { host }: Extract<PolicyPart, { kind: "connect" }>,
  tool: Tool,
  policy: Policy,
): RuleFinding {
  const near = policy.hosts.filter((rule) => isFor(rule, tool));
  if (host !== undefined) {
    const names = kindOfHost(host) === "loopback" ? [host, "localhost"] : [host];
    const matches = (rule: HostRule) =>
      names.some((name) => rule.hosts.some((known) => matchSegment(known, name)));
    return { risk: "network", ...strongest(near.filter(matches)) };
  }
  const rule = near.findLast(({ effect }) => effect === "deny");
  const mayDeny = rule && { rule, reason: "it may become a host that a rule denies", aimed: false };
  return { risk: "network", mayDeny, wins: near.findLast(({ effect }) => effect === "ask") };
}
