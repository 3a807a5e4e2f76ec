import type { SandboxLevel } from "../../contract/account.ts";
import type { ResourceLimits, VariablePolicy } from "../../contract/confinement.ts";
import { counted } from "../../lib/counted.ts";
import { printableLine } from "../../lib/printable.ts";
import { formatLimit } from "../../lib/resource-limits.ts";
import { confinementOf } from "../../policy/confinement-of.ts";
import { hostsReached } from "../../policy/may-connect.ts";
import type { Policy } from "../../policy/rules/compile-policy.ts";
import { limitsFor } from "../../sandbox/limits/limits-for.ts";
import type { Judgement } from "../../toolcrib/judge-calls.ts";
import { layTable } from "../table.ts";

/** What the commands of a call could reach, for programs. */
export interface ConfinementReport {
  readonly sandbox: SandboxLevel;
  /** Rules take it out of the sandbox. */
  readonly unconfined: boolean;
  /** "*" stands for any part. */
  readonly hosts: readonly string[];
  /** Outside the workspace, with all below them, beside what the sandbox shows to all. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** How many rules hide paths. */
  readonly hidingRules: number;
  readonly variables: VariablePolicy;
  /** Those that rules are about, as they spell them: what holds. */
  readonly limits: readonly string[];
}

/** Null for calls that run no command, or that are denied. */
export function reportConfinement(decision: Judgement, policy: Policy): ConfinementReport | null {
  const { question, verdict, sandbox, unconfined = false } = decision;
  if (verdict === "deny" || !question.accesses.some(({ kind }) => kind === "execute")) return null;
  const { variables, limits, limitsAtMost } = policy.settings;
  const { readable = [], writable = [] } = confinementOf(decision, question, policy, "approved");
  const hiding = policy.paths.highestFirst.filter(
    ({ effect, uses }) => effect === "secret" || (effect === "deny" && uses.has("read")),
  );
  const limited = Object.keys({ ...limitsAtMost, ...limits }) as readonly (keyof ResourceLimits)[];
  const held = limitsFor(policy.settings, policy.context.workspace);
  return {
    sandbox,
    unconfined,
    hosts: hostsReached(decision, question, policy),
    readable: readable.filter((path) => !writable.includes(path)),
    writable,
    hidingRules: hiding.length,
    variables,
    limits: limited.map((limit) => formatLimit(limit, Math.floor(held[limit]))),
  };
}

/** The same for people. */
export function showConfinement(report: ConfinementReport | null): string {
  if (report === null) return "";
  const { sandbox, unconfined, hosts, readable, writable, hidingRules, variables, limits } = report;
  const isHeld = sandbox !== "none";
  const rows = [
    ["sandbox", isHeld ? sandbox : unconfined ? "none: rules take it out" : "none"],
    ...(isHeld ? [["hosts", hosts.length === 0 ? "none" : printableLine(hosts.join(", "))]] : []),
    ...(isHeld ? outside("readable", readable) : []),
    ...(isHeld ? outside("writable", writable) : []),
    ...(isHeld ? [["hidden", `what ${counted(hidingRules, "rule")} hide`]] : []),
    ["variables", [variables.base, ...variables.extra].join(", ")],
    ...(limits.length === 0 ? [] : [["limits", limits.join(", ")]]),
  ];
  return `\n${layTable(rows, "  ")}`;
}

function outside(how: string, paths: readonly string[]): readonly string[][] {
  return paths.length === 0 ? [] : [[how, printableLine(paths.join(", "))]];
}
