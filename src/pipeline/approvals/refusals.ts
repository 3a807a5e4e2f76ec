import { type ErrorDetails, reworded, ToolError } from "../../contract/error.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { describePart } from "../../policy/decide.ts";
import { formatOrigin } from "../../policy/guard-paths.ts";
import type { Decision, PartVerdict } from "../../policy/policy.ts";

/** A rule denies the call. */
export function denied(decision: Decision): ToolError {
  return new ToolError("denied", `Denied: ${describe(decision)}`, {
    details: secretPath(decision),
    hint: "Leave that part out, or find another way; only the person can change the rule.",
  });
}

/** The call needs approval, and the user cannot be asked. */
export function needsApproval(decision: Described): ToolError {
  return new ToolError("needs-approval", `This call needs a person's approval: ${describe(decision)}`, {
    details: missingSandbox(decision) ?? onlyHost(decision),
    hint: "Nobody can be asked here: choose another way, or ask the person to allow it (a rule, or another mode).",
  });
}

/** The request is stored, and its answer counts for the next call that is exactly like this one. */
export function approvalPending(id: string, parts: Decision["parts"]): ToolError {
  return reworded(needsApproval({ verdict: "ask", parts }), {
    hint: `A person can allow it: toolcrib approve ${id}. Then make this very call again, or choose another way.`,
  });
}

export function deniedByUser(decision: Decision, message: string | undefined): ToolError {
  return message === undefined
    ? new ToolError("denied", `The person refused this call: ${describe(decision)}`, {
        hint: "Do not repeat it; ask what to do instead.",
      })
    : new ToolError("denied", `The person refused this call, and says: ${message}`, {
        hint: "Nothing was done.",
      });
}

/** The approved call is not the one that would run. */
export function callChanged(): ToolError {
  return new ToolError("denied", "The call, or where it would run, changed while the person was asked", {
    hint: "Nothing was done: make the call again, then it is asked again.",
  });
}

/** The preview is not what would be changed. */
export function previewChanged(): ToolError {
  return new ToolError("stale", "What the call would change was changed while the person was asked", {
    hint: "Nothing was done: look at it again, then make the call again.",
  });
}

/** The checked paths are not the ones that would be used. */
export function pathsChanged(): ToolError {
  return new ToolError("stale", "While the call waited, another one changed where its paths lead", {
    hint: "Nothing was done: look where they lead now, then make the call again.",
  });
}

export function couldNotAsk(cause: unknown): ToolError {
  if (cause instanceof ToolError && cause.code === "needs-approval") return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ToolError("needs-approval", `The person could not be asked: ${reason}`, {
    hint: "Nothing was done; try again when somebody can answer.",
    cause,
  });
}

export function unreadableAnswer(): ToolError {
  return new ToolError("needs-approval", "The person was asked, but the answer could not be understood", {
    hint: "Nothing was done: `approve` has to answer { allow: true } or { allow: false }.",
  });
}

type Described = Pick<Decision, "verdict" | "parts">;

/** Set when commands need approval because there is no sandbox, and not because of a rule. */
function missingSandbox({ parts }: Described): ErrorDetails | undefined {
  const isMissing = parts.some(({ verdict, bare, rule }) => verdict === "ask" && bare && rule === undefined);
  return isMissing ? { kind: "no-sandbox" } : undefined;
}

/** Set when one connection is all that needs approval, and no rule asks. */
function onlyHost({ parts }: Described): ErrorDetails | undefined {
  const [first, ...others] = parts.filter(({ verdict }) => verdict === "ask");
  if (first?.part.kind !== "connect" || first.rule !== undefined) return undefined;
  const host = first.part.host ?? first.part.spelling;
  const isSame = ({ part, rule }: PartVerdict) =>
    part.kind === "connect" && (part.host ?? part.spelling) === host && rule === undefined;
  return others.every(isSame) ? { kind: "connects", host } : undefined;
}

/** Set when the first thing denied is one path, by a rule about secrets. */
function secretPath({ parts }: Described): ErrorDetails | undefined {
  const first = parts.find(({ verdict }) => verdict === "deny");
  if (first === undefined || !("path" in first.part) || !/^secret\b/.test(first.rule?.text ?? ""))
    return undefined;
  const why = describeReason(first);
  const isAlone = parts.every(
    (part) => part.verdict !== "deny" || describeReason(part) !== why || deedOf(part) === deedOf(first),
  );
  return isAlone ? { kind: "secret-path", path: first.part.path } : undefined;
}

/** The parts that decided, each with its rule and its source, so that the caller can keep the rest of the call. */
function describe({ verdict, parts }: Described): string {
  const deeds = new Map<string, Set<string>>();
  for (const part of parts) {
    if (part.verdict !== verdict) continue;
    const why = describeReason(part);
    deeds.set(why, (deeds.get(why) ?? new Set()).add(deedOf(part)));
  }
  return [...deeds].map(([why, would]) => `it would ${list([...would])}${why}`).join("; ");
}

function describeReason({ reason, rule }: PartVerdict): string {
  return rule === undefined ? ` (${reason})` : `: ${reason} (${rule.text}, ${formatOrigin(rule)})`;
}

const maxDeeds = 5;

function list(deeds: readonly string[]): string {
  const more = deeds.length - maxDeeds;
  return [...deeds.slice(0, maxDeeds), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

const maxChars = 300;

/** On one line, whatever the command or path contains. */
function deedOf({ part }: PartVerdict): string {
  const deed = printableLine(describePart(part));
  return deed.length <= maxChars ? deed : `${deed.slice(0, maxChars)}…`;
}
