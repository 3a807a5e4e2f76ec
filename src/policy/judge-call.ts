import type { DecisionRecord } from "../contract/account.ts";
import { describePart } from "./describe-part.ts";
import { unconfinedBy } from "./find-rules.ts";
import { placeOf } from "./guard-paths.ts";
import { judgePart } from "./judge-part.ts";
import { partsOf, type ReadCommand } from "./parts.ts";
import type { Decision, Part, PartVerdict, Question } from "./policy.ts";
import type { Policy } from "./rules/compile-policy.ts";
import { harm, worse } from "./rules/own-risk.ts";

/** As `decide`, with whatever reads commands: the grammar and the programs it knows are large, and most calls run nothing. */
export function judgeCall(question: Question, policy: Policy, readCommand: ReadCommand): Decision {
  const all = partsOf(question, policy.place, readCommand);
  const unconfined = areUnconfined(all, question, policy);
  const sandbox = unconfined ? "none" : question.sandbox;
  const parts = all.flatMap((part) => judgePart(part, { ...question, sandbox }, policy, readCommand) ?? []);
  let decisive = parts[0]!;
  let risk = decisive.risk;
  for (const part of parts) {
    risk = worse(risk, part.risk);
    if (strictness(part) > strictness(decisive)) decisive = part;
  }
  const { verdict } = decisive;
  const record = recordOf(decisive, parts, question);
  return { verdict, risk, sandbox, ...(unconfined && { unconfined }), decisive, parts, record };
}

/** A call runs in one place: it leaves the sandbox when a rule says so of each command in it, else none of it does. */
function areUnconfined(parts: readonly Part[], { tool }: Question, policy: Policy): boolean {
  if (policy.unconfined.length === 0) return false;
  const commands = parts.filter((part) => part.kind === "run");
  return (
    commands.length > 0 &&
    parts.every(({ kind }) => kind !== "unclear") &&
    commands.every(({ command }) => unconfinedBy(command, tool, policy) !== undefined)
  );
}

/** Deny before ask before allow, and of those the most harmful. */
function strictness({ part, verdict, risk, rule }: PartVerdict): number {
  if (part.kind === "use" && part.names === "everything" && rule === undefined) return -1;
  return strict[verdict] * 20 + harm(risk) * 2 + (rule === undefined ? 0 : 1);
}

const strict = { allow: 0, ask: 1, deny: 2 } as const;

function recordOf(decisive: PartVerdict, parts: readonly PartVerdict[], { mode }: Question): DecisionRecord {
  const { verdict, rule, risk, reason } = decisive;
  if (rule !== undefined) return { verdict, rule: rule.text, source: placeOf(rule), reason };
  const alike = parts.filter((part) => strictness(part) === strictness(decisive));
  const would = [...new Set(alike.map(({ part }) => describePart(part)))];
  const shown = would.length > 5 ? [...would.slice(0, 5), `${would.length - 5} more`] : would;
  const source = `mode ${mode}`;
  const doubt = reason.startsWith(source) ? "" : `: ${reason}`;
  return { verdict, rule: `${source}: ${risk}`, source, reason: `it would ${shown.join(", ")}${doubt}` };
}
