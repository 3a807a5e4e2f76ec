import type { Risk } from "../contract/access.ts";
import { findRules } from "./find-rules.ts";
import { kindOfHost, spells } from "./host-kinds.ts";
import type { Mode } from "./mode.ts";
import type { ReadCommand } from "./parts.ts";
import type { HostPart, Part, PartVerdict, Question } from "./policy.ts";
import type { Policy } from "./rules/compile-policy.ts";
import type { Rule } from "./rules/compile-rule.ts";

/** What is said of one part; undefined for a path that was only mentioned and that nobody minds. */
export function judgePart(
  part: Part,
  question: Question,
  policy: Policy,
  readCommand: ReadCommand,
): PartVerdict | undefined {
  const { mode } = question;
  const finding = findRules(part, question, policy, readCommand);
  const { deny, mayDeny, wins, doubt, risk } = finding;
  const say = (verdict: PartVerdict["verdict"], reason: string, rule?: Rule): PartVerdict => ({
    part,
    verdict,
    risk,
    rule: rule?.place,
    reason,
  });
  const insist = (reason: string, rule?: Rule): PartVerdict => ({ ...say("ask", reason, rule), firm: true });
  if (deny !== undefined) return say("deny", deny.reason, deny.rule);
  if (mayDeny !== undefined && (mode !== "yolo" || mayDeny.aimed || isPersons(mayDeny.rule)))
    return insist(mayDeny.reason, mayDeny.rule);
  if ("mentioned" in part) return undefined;
  if (handsOutKeys(part) && !names(wins, part)) return say("deny", keysReason(part));
  if (part.kind === "use" && part.names === "everything" && wins === undefined)
    return say("allow", "what it touches is judged");
  if (mode === "yolo") {
    const hidden = part.kind === "unclear" ? forbiddenByPerson(policy) : undefined;
    if (hidden === undefined) return say("allow", "mode yolo lets everything pass");
    return insist("only the shell will know whether this is what a rule denies", hidden);
  }
  if (mode === "paranoid") return insist(wins?.because ?? "mode paranoid asks before everything");
  // Where nothing holds a command, what a rule allows of commands that are held does not count.
  const bare = part.kind === "run" && question.sandbox === "none" && finding.unconfined === undefined;
  if (wins?.effect === "ask")
    return { ...say("ask", wins.because ?? "a rule asks before this", wins), ...(bare && { bare }) };
  if (part.kind === "unclear") return insist(`only the shell will understand it: ${part.reason}`);
  if (bare) return { ...say("ask", bareReason(mode, wins)), bare };
  if (wins !== undefined) return say("allow", wins.because ?? "a rule allows it", wins);
  if (doubt !== undefined) return say("ask", doubt);
  if (part.kind === "run" || !passes[mode].has(risk))
    return say("ask", `mode ${mode} asks before ${deeds[risk]}`);
  return say("allow", `mode ${mode} lets ${deeds[risk]} pass`);
}

/** Whoever reaches the metadata of a cloud acts as this machine; nobody should have to notice an address in a question. */
function handsOutKeys(part: Part): part is NamedHost {
  return part.kind === "connect" && part.host !== undefined && kindOfHost(part.host) === "metadata";
}

type NamedHost = HostPart & { readonly host: string };

function names(rule: Rule | undefined, { host }: NamedHost): boolean {
  return rule?.kind === "connect" && rule.effect === "allow" && spells(rule, host);
}

function keysReason({ host }: NamedHost): string {
  return `it hands out the keys of this machine to its cloud; only a rule that names it lets it: allow connect ${host}`;
}

function bareReason(mode: Mode, allowed: Rule | undefined): string {
  if (allowed === undefined) return `mode ${mode} asks before commands run, and there is no sandbox`;
  return "there is no sandbox, so that every command is asked about";
}

/** What cannot be understood may be what a person forbade, which holds in every mode. */
function forbiddenByPerson({ commands }: Policy): Rule | undefined {
  return commands.highestFirst.find((rule) => rule.effect === "deny" && isPersons(rule));
}

function isPersons({ place }: Rule): boolean {
  return place.level !== "built-in";
}

const passes: Record<Exclude<Mode, "yolo" | "paranoid">, ReadonlySet<Risk>> = {
  safe: new Set(["read"]),
  cautious: new Set(["read", "write"]),
};

const deeds: Record<Risk, string> = {
  read: "reading",
  write: "writing",
  execute: "commands run",
  network: "connecting",
  destructive: "deleting",
};
