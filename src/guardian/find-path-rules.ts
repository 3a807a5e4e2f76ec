import type { SandboxLevel } from "../contract/account.ts";
import { type Because, type Finding, isFor, strongest } from "./finding.ts";
import { reasonOf } from "./guard-paths.ts";
import { fold } from "./paths/fold.ts";
import { type Names, namesOf } from "./paths/names.ts";
import { namesIn } from "./paths/path-pattern.ts";
import type { OpenPath, PathTarget } from "./paths/path-target.ts";
import {
  isAbout,
  isExactly,
  refuses,
  refusingRule,
  rulesAhead,
  rulesBelow,
  rulesNear,
} from "./paths/refuse-path.ts";
import type { PathPart, Place, Question } from "./policy.ts";
import type { PathRule, Policy, Rule } from "./rules/compile-policy.ts";
import type { PathUse } from "./rules/rule.ts";

type Tool = Question["tool"];

/** Finds the rules that are about a path of a call. */
export function findPathRules(part: PathPart, { tool, sandbox }: Question, policy: Policy): Finding {
  if (part.mentioned) return findMentionRules(part, tool, policy);
  const { kind, target, risk } = part;
  if (target.kind === "output") return { risk };
  const open = part.in === undefined ? undefined : describeDoubt(part, target, sandbox, policy.place);
  const doubt = open === undefined ? {} : { doubt: open };
  if (target.kind === "open")
    return { risk, ...doubt, ...findOpenRules(target.alternatives, kind, tool, policy) };
  const all = placesOf(target, policy.place);
  const deny = firstRefusal(all, kind, tool, policy);
  if (deny !== undefined) return { risk, deny };
  const isMeant = (rule: PathRule) => rule.uses.has(kind) && isFor(rule, tool);
  const asks = all.flatMap((names) =>
    rulesNear(policy, names).filter(
      (rule) => rule.effect === "ask" && isMeant(rule) && isAbout(rule, kind, names),
    ),
  );
  const [real] = all;
  const allows = rulesNear(policy, real).filter(
    (rule) => rule.effect === "allow" && isMeant(rule) && isExactly(rule, real),
  );
  return { risk, ...doubt, ...findBelow(part, real, tool, policy), ...strongest([...asks, ...allows]) };
}

/** Where links lead, and how it was spelled. */
function placesOf(
  target: Extract<PathTarget, { kind: "known" }>,
  place: Place,
): readonly [Names, ...Names[]] {
  const spelled = namesOf(target.path, place);
  return target.real === undefined ? [spelled] : [namesOf(target.real, place), spelled];
}

function firstRefusal(all: readonly Names[], use: PathUse, tool: Tool, policy: Policy): Because | undefined {
  for (const names of all) {
    const rule = refusingRule(policy, use, names, (candidate) => isFor(candidate, tool));
    if (rule !== undefined) return { rule, reason: reasonOf(rule, use) };
  }
  return undefined;
}

/** Who reads a directory whole meets what is refused in it. */
function findBelow(part: PathPart, names: Names, tool: Tool, policy: Policy): Pick<Finding, "mayDeny"> {
  if (!part.whole) return {};
  const [rule] = rulesBelow(policy, part.kind, names, (candidate) => isFor(candidate, tool));
  if (rule === undefined) return {};
  return { mayDeny: { rule, reason: `something in it ${reasonOf(rule, part.kind)}`, aimed: true } };
}

/** What was only mentioned may be read, and may be written. */
function findMentionRules({ target, risk }: PathPart, tool: Tool, policy: Policy): Finding {
  if (target.kind !== "known") return { risk };
  const all = placesOf(target, policy.place);
  const deny = firstRefusal(all, "read", tool, policy);
  if (deny !== undefined) return { risk, deny };
  const found = firstRefusal(all, "write", tool, policy);
  return found === undefined ? { risk } : { risk, mayDeny: { ...found, aimed: true } };
}

function findOpenRules(
  alternatives: readonly OpenPath[],
  use: PathUse,
  tool: Tool,
  policy: Policy,
): Pick<Finding, "deny" | "mayDeny" | "wins"> {
  let mayDeny: Finding["mayDeny"];
  let wins: Rule | undefined;
  for (const path of alternatives) {
    const known = path.sample === undefined ? [] : [namesOf(path.sample, policy.place)];
    const deny = firstRefusal(known, use, tool, policy);
    if (deny !== undefined) return { deny };
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

/** Why a path of a command is asked about that the mode would let pass; for tools the environment sees to it. */
function describeDoubt(
  { whole, path }: PathPart,
  target: Exclude<PathTarget, { kind: "output" }>,
  sandbox: SandboxLevel,
  { workspace }: Place,
): string | undefined {
  if (target.kind === "known") {
    const reached = target.real ?? target.path;
    const isInside = reached === workspace || reached.startsWith(`${workspace}/`);
    if (!isInside && !harmlessDevice.test(reached)) return "it lies outside the workspace";
  } else if (!target.alternatives.every((open) => isInside(open, workspace)))
    return "it may lie outside the workspace";
  // There the secrets below are out of reach.
  const hidesSecrets = sandbox === "bwrap" || sandbox === "seatbelt";
  return whole && !hidesSecrets ? `everything below ${path} is read, secrets as well` : undefined;
}

const harmlessDevice = /^\/dev\/(?:null|zero|full|random|urandom|stdin|stdout|stderr|tty|fd\/\d+)$/;

function isInside({ names }: OpenPath, workspace: string): boolean {
  return namesIn(workspace).every((name, place) => {
    const given = names[place];
    return (
      given !== undefined &&
      given !== "**" &&
      given.shape.kind === "literal" &&
      given.shape.text === fold(name)
    );
  });
}
