import type { Access, Risk } from "../contract/access.ts";
import type { Mode } from "./mode.ts";

/** What the guardian says of a call, and why. */
export type Decision =
  | { readonly verdict: "allow"; readonly risk: Risk; readonly rule: string }
  | { readonly verdict: "ask"; readonly risk: Risk; readonly rule: string; readonly reason: string };

/** Judges what a call would touch. Pure: the apps ask the person. */
export function decide(question: {
  readonly mode: Mode;
  readonly accesses: readonly Access[];
  /** What the tool can do at most; it counts for a call that names nothing it would touch. */
  readonly risk: Risk;
}): Decision {
  const risk = question.accesses.length > 0 ? riskOf(question.accesses) : question.risk;
  const rule = `mode ${question.mode}: ${risk}`;
  if (allowedRisks[question.mode].has(risk)) return { verdict: "allow", risk, rule };
  const touched = question.accesses.filter((access) => riskOfAccess(access) === risk).map(describeAccess);
  return { verdict: "ask", risk, rule, reason: `it would ${touched.join(", ") || "run a tool"}` };
}

const allowedRisks: Record<Mode, ReadonlySet<Risk>> = {
  safe: new Set(["read"]),
  cautious: new Set(["read", "write"]),
  paranoid: new Set(),
  yolo: new Set(["read", "write", "execute", "network", "destructive"]),
};

const ascendingRisks: readonly Risk[] = ["read", "write", "execute", "network", "destructive"];

/** The highest risk among the accesses. */
function riskOf(accesses: readonly Access[]): Risk {
  const highest = accesses.reduce(
    (most, access) => Math.max(most, ascendingRisks.indexOf(riskOfAccess(access))),
    0,
  );
  return ascendingRisks[highest]!;
}

function riskOfAccess(access: Access): Risk {
  if (access.kind !== "delete") return access.kind;
  return access.inEdit ? "write" : "destructive";
}

function describeAccess(access: Access): string {
  switch (access.kind) {
    case "execute":
      return `run \`${access.command}\``;
    case "network":
      return `connect to ${access.host}`;
    default:
      return `${access.kind} ${access.path}`;
  }
}
