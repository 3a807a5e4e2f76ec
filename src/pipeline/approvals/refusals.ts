import { ToolError } from "../../contract/error.ts";
import { printableLine } from "../../lib/printable.ts";
import { describePart } from "../../policy/decide.ts";
import { placeOf } from "../../policy/guard-paths.ts";
import type { Decision, PartVerdict } from "../../policy/policy.ts";

/** A rule forbids it, whoever asks. */
export function denied(decision: Decision): ToolError {
  return new ToolError("denied", `Denied: ${describe(decision)}`, {
    hint: "Leave that part out, or find another way; only the person can change the rule.",
  });
}

/** It would have to be asked, and nobody is there. */
export function needsApproval(decision: Described): ToolError {
  return new ToolError("needs-approval", `This call needs a person's approval: ${describe(decision)}`, {
    hint: "Nobody can be asked here: choose another way, or ask the person to allow it (a rule, or another mode).",
  });
}

/** The question is written down, and the answer counts for the next call that is just like this one. */
export function askedForLater(id: string, parts: Decision["parts"]): ToolError {
  const { message } = needsApproval({ verdict: "ask", parts });
  return new ToolError("needs-approval", message, {
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

/** What was approved is not what would run. */
export function changedMeanwhile(): ToolError {
  return new ToolError("denied", "The call, or where it would run, changed while the person was asked", {
    hint: "Nothing was done: make the call again, then it is asked again.",
  });
}

/** What was shown is not what would be changed. */
export function changedUnderneath(): ToolError {
  return new ToolError("stale", "What the call would change was changed while the person was asked", {
    hint: "Nothing was done: look at it again, then make the call again.",
  });
}

/** What was judged is not what would run. */
export function ledElsewhere(): ToolError {
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

export function notUnderstood(): ToolError {
  return new ToolError("needs-approval", "The person was asked, but the answer could not be understood", {
    hint: "Nothing was done: `approve` has to answer { allow: true } or { allow: false }.",
  });
}

type Described = Pick<Decision, "verdict" | "parts">;

/** The parts that decided, each with its rule and where that stands, so that the rest of the call can be kept. */
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
  return rule === undefined ? ` (${reason})` : `: ${reason} (${rule.text}, ${placeOf(rule)})`;
}

const maxDeeds = 5;

function list(deeds: readonly string[]): string {
  const more = deeds.length - maxDeeds;
  return [...deeds.slice(0, maxDeeds), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

const maxChars = 300;

/** On one line, whatever the command or the path holds. */
function deedOf({ part }: PartVerdict): string {
  const deed = printableLine(describePart(part));
  return deed.length <= maxChars ? deed : `${deed.slice(0, maxChars)}…`;
}
