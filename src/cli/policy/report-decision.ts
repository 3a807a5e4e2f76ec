import type { SandboxLevel } from "../../contract/call.ts";
import type { ResourceLimits, VariablePolicy } from "../../contract/confinement.ts";
import { formatLimit } from "../../lib/resource-limits.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printable, printableLine } from "../../lib/text/printable.ts";
import { confinementOf } from "../../policy/confinement-of.ts";
import { describePart } from "../../policy/decide.ts";
import { formatOrigin } from "../../policy/guard-paths.ts";
import { hostsReached } from "../../policy/may-connect.ts";
import type { CommandSegment, Decision, PolicyPart, PolicyVerdict } from "../../policy/policy.ts";
import type { Policy } from "../../policy/rules/compile-policy.ts";
import { limitsFor } from "../../sandbox/limits/limits-for.ts";
import type { PreviewedDecision } from "../../toolcrib/replay-calls.ts";
import { markSegments } from "../approvals/show-request.ts";
import { layTable } from "../terminal.ts";

/** Returns a decision for programs. */
export function reportDecision({ verdict, risk, record, parts }: Decision) {
  const { reason, rule, source } = record;
  return { verdict, risk, reason, rule, source, parts: parts.map(reportPart) };
}

/** Returns a part for programs. `rule` is null when the mode decided; `segment` is the part of the command. */
function reportPart({ part, verdict, risk, reason, rule }: PolicyVerdict) {
  const found = segmentOf(part);
  const segment = found && { text: textOf(found), ...found.span };
  return { verdict, kind: part.kind, what: whatOf(part), risk, reason, rule: rule ?? null, segment };
}

/** Formats the verdict, the command with its decisive parts marked, and every part with its rule. */
export function showDecision(decision: Decision, columns: number): string {
  const { verdict, parts } = decision;
  const command = parts.map(({ part }) => segmentOf(part)?.command).find((text) => text !== undefined);
  const spans = parts.flatMap((part) => (part.verdict === verdict ? (segmentOf(part.part)?.span ?? []) : []));
  return [
    `${verdict}: ${printable(describeRecord(decision))}\n`,
    command === undefined ? "" : `\n${markSegments(command, spans, columns).join("\n")}\n`,
    `\n${layTable(parts.filter(isShown).map(toRow), "  ")}`,
  ].join("");
}

/** Returns the reason for the verdict, the rule and its source. */
export function describeRecord({ decisive, record }: Decision): string {
  if (decisive.rule === undefined) return `${record.reason} (${record.rule})`;
  return `it would ${describePart(decisive.part)}: ${record.reason}\nby ${record.rule} (${record.source})`;
}

/** Shows the use of the tool itself only when a rule is about it, or when nothing else is known. */
function isShown({ part, rule, verdict }: PolicyVerdict): boolean {
  return part.kind !== "use" || part.names === "nothing" || rule !== undefined || verdict !== "allow";
}

function toRow({ part, verdict, reason, rule }: PolicyVerdict): readonly string[] {
  const because = rule ? `${rule.text} (${formatOrigin(rule)})` : reason;
  return [verdict, part.kind, printableLine(whatOf(part)), printableLine(because)];
}

function whatOf(part: PolicyPart): string {
  switch (part.kind) {
    case "use":
      return part.server === undefined ? part.tool : `${part.tool} of ${part.server}`;
    case "connect":
      return part.spelling;
    case "run":
    case "unclear":
      return textOf(part.in);
    default:
      return part.path;
  }
}

function segmentOf(part: PolicyPart): CommandSegment | null {
  return ("in" in part && part.in) || null;
}

function textOf({ command, span }: CommandSegment): string {
  return command.slice(span.start, span.end);
}

/** The access that the commands of a call have. */
interface ConfinementReport {
  readonly sandbox: SandboxLevel;
  /** Whether a rule takes them out of the sandbox. */
  readonly unconfined: boolean;
  /** Whether they only read, so that they cannot write in the workspace. */
  readonly readsOnly: boolean;
  /** The hosts that they may connect to; "*" for any. */
  readonly hosts: readonly string[];
  /** Folders outside the workspace, besides those that every sandbox shows. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** The number of rules that hide paths. */
  readonly hidingRules: number;
  readonly variables: VariablePolicy;
  /** The effective values of the limits that rules set, in their spelling. */
  readonly limits: readonly string[];
}

/** Returns the confinement of a call; null for calls that run no command, and for denied calls. */
export function reportConfinement(decision: PreviewedDecision, policy: Policy): ConfinementReport | null {
  const { question, verdict, sandbox, unconfined = false } = decision;
  if (verdict === "deny" || !question.accesses.some(({ kind }) => kind === "execute")) return null;
  const { variables, limits, limitsAtMost } = policy.settings;
  const {
    readable = [],
    writable = [],
    readsOnly = false,
  } = confinementOf(decision, question, policy, "approved");
  const hiding = policy.paths.highestFirst.filter(
    ({ effect, uses }) => effect === "secret" || (effect === "deny" && uses.has("read")),
  );
  const limited = Object.keys({ ...limitsAtMost, ...limits }) as readonly (keyof ResourceLimits)[];
  const held = limitsFor(policy.settings, policy.context.workspace);
  return {
    sandbox,
    unconfined,
    readsOnly: readsOnly && sandbox !== "none",
    hosts: hostsReached(decision, question, policy),
    readable: readable.filter((path) => !writable.includes(path)),
    writable,
    hidingRules: hiding.length,
    variables,
    limits: limited.map((limit) => formatLimit(limit, Math.floor(held[limit]))),
  };
}

export function showConfinement(report: ConfinementReport | null): string {
  if (report === null) return "";
  const { sandbox, unconfined, readsOnly, hosts, readable, writable, hidingRules, variables, limits } =
    report;
  const isHeld = sandbox !== "none";
  const rows = [
    ["sandbox", isHeld ? sandbox : unconfined ? "none, by an `unconfined` rule" : "none"],
    ...(readsOnly ? [["workspace", "read-only, because the command only reads"]] : []),
    ...(isHeld ? [["hosts", describeHosts(hosts)]] : []),
    ...(isHeld ? outside("readable", readable) : []),
    ...(isHeld ? outside("writable", writable) : []),
    ...(isHeld ? [["hidden", `paths of ${counted(hidingRules, "rule")}`]] : []),
    ["variables", [variables.base, ...variables.extra].join(", ")],
    ...(limits.length === 0 ? [] : [["limits", limits.join(", ")]]),
  ];
  return `\n${layTable(rows, "  ")}`;
}

function describeHosts(hosts: readonly string[]): string {
  if (hosts.length === 0) return "all ask when the command connects";
  const named = printableLine(hosts.join(", "));
  return hosts.includes("*") ? named : `${named}; others ask when the command connects`;
}

function outside(how: string, paths: readonly string[]): readonly string[][] {
  return paths.length === 0 ? [] : [[how, printableLine(paths.join(", "))]];
}
