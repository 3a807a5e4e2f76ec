import type { SandboxLevel } from "../../../contract/account.ts";
import type { ResourceLimits, VariablePolicy } from "../../../contract/confinement.ts";
import type { Judgement } from "../../../door/judge.ts";
import { hostsReached } from "../../../guardian/may-connect.ts";
import type { Policy } from "../../../guardian/rules/compile-policy.ts";
import { counted } from "../../../text/counted.ts";
import { spellLimit } from "../../../text/limit-words.ts";
import { printableLine } from "../../../text/printable.ts";
import { layTable } from "../table.ts";

/** What the commands of a call could reach, for programs. */
export interface ConfinementReport {
  readonly sandbox: SandboxLevel;
  /** Rules take it out of the sandbox. */
  readonly unconfined: boolean;
  /** "*" stands for any part. */
  readonly hosts: readonly string[];
  /** How many rules hide paths. */
  readonly hidingRules: number;
  readonly variables: VariablePolicy;
  /** Those that rules set, as they spell them. */
  readonly limits: readonly string[];
}

/** Null for calls that run no command, or that are denied. */
export function reportConfinement(decision: Judgement, policy: Policy): ConfinementReport | null {
  const { question, verdict, sandbox, unconfined = false } = decision;
  if (verdict === "deny" || !question.accesses.some(({ kind }) => kind === "execute")) return null;
  const { variables, limits, limitsAtMost } = policy.settings;
  const hiding = policy.paths.highestFirst.filter(
    ({ effect, uses }) => effect === "secret" || (effect === "deny" && uses.has("read")),
  );
  const lowest = { ...limitsAtMost, ...limits, ...lowerOf(limits, limitsAtMost) };
  return {
    sandbox,
    unconfined,
    hosts: hostsReached(decision, question, policy),
    hidingRules: hiding.length,
    variables,
    limits: Object.entries(lowest).map(([limit, amount]) =>
      spellLimit(limit as keyof ResourceLimits, amount),
    ),
  };
}

function lowerOf(limits: Partial<ResourceLimits>, atMost: Partial<ResourceLimits>): Partial<ResourceLimits> {
  const names = Object.keys(atMost) as readonly (keyof ResourceLimits)[];
  return Object.fromEntries(names.map((name) => [name, Math.min(atMost[name]!, limits[name] ?? Infinity)]));
}

/** The same for people. */
export function showConfinement(report: ConfinementReport | null): string {
  if (report === null) return "";
  const { sandbox, unconfined, hosts, hidingRules, variables, limits } = report;
  const isHeld = sandbox !== "none";
  const rows = [
    ["sandbox", isHeld ? sandbox : unconfined ? "none: rules take it out" : "none"],
    ...(isHeld ? [["hosts", hosts.length === 0 ? "none" : printableLine(hosts.join(", "))]] : []),
    ...(isHeld ? [["hidden", `what ${counted(hidingRules, "rule")} hide`]] : []),
    ["variables", [variables.base, ...variables.extra].join(", ")],
    ...(limits.length === 0 ? [] : [["limits", limits.join(", ")]]),
  ];
  return `\n${layTable(rows, "  ")}`;
}
