import { ToolError } from "../../contract/error.ts";
import type { Decision, Part, PartVerdict } from "../../guardian/policy.ts";

/** A rule forbids it, whoever asks. */
export function denied(decision: Decision): ToolError {
  return new ToolError("denied", `Denied: ${describe(decision)}`, {
    hint: "Leave that part out, or find another way; only the person can change the rule.",
  });
}

/** It would have to be asked, and nobody is there. */
export function needsApproval(decision: Decision): ToolError {
  return new ToolError("needs-approval", `This call needs a person's approval: ${describe(decision)}`, {
    hint: "Nobody can be asked here: choose another way, or ask the person to allow it (a rule, or another mode).",
  });
}

export function refusedByPerson(decision: Decision, message: string | undefined): ToolError {
  return new ToolError("denied", message ?? `The person refused this call: ${describe(decision)}`, {
    hint: "Do not repeat it; ask what to do instead.",
  });
}

/** What was approved is not what would run. */
export function changedMeanwhile(): ToolError {
  return new ToolError("denied", "The call, or where it would run, changed while the person was asked", {
    hint: "Nothing was done: make the call again, then it is asked again.",
  });
}

export function couldNotAsk(cause: unknown): ToolError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ToolError("needs-approval", `The person could not be asked: ${reason}`, {
    hint: "Nothing was done; try again when somebody can answer.",
    cause,
  });
}

const maxParts = 5;

/** The parts that decided, each with its rule and where that stands, so that the rest of the call can be kept. */
function describe({ verdict, parts }: Decision): string {
  const described = new Set(parts.filter((part) => part.verdict === verdict).map(describePart));
  const more = described.size - maxParts;
  return [...[...described].slice(0, maxParts), ...(more > 0 ? [`and ${more} more parts`] : [])].join("; ");
}

function describePart({ part, reason, rule }: PartVerdict): string {
  const place = rule ? ` (${rule.text}, ${rule.name}:${rule.line})` : "";
  return `${describeDeed(part)}: ${reason}${place}`;
}

function describeDeed(part: Part): string {
  switch (part.kind) {
    case "use":
      return `use ${part.tool}`;
    case "run":
    case "unclear":
      return `\`${segmentText(part.in)}\``;
    case "connect":
      return `connect to ${part.spelling}${within(part.in)}`;
    default:
      return `${part.kind} ${part.path}${within(part.in)}`;
  }
}

function within(segment: PartSegment | undefined): string {
  return segment === undefined ? "" : ` in \`${segmentText(segment)}\``;
}

type PartSegment = NonNullable<Extract<Part, { in?: unknown }>["in"]>;

const maxSegmentChars = 200;

function segmentText({ command, span }: PartSegment): string {
  const text = command.slice(span.start, span.end);
  return text.length <= maxSegmentChars ? text : `${text.slice(0, maxSegmentChars)}…`;
}
