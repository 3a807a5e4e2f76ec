import { printable, printableLine } from "../../lib/printable.ts";
import { describePart } from "../../policy/decide.ts";
import { formatOrigin } from "../../policy/guard-paths.ts";
import type { CommandSegment, Decision, Part, PartVerdict, RuleOrigin } from "../../policy/policy.ts";
import { markSegments } from "../approval/mark-segments.ts";
import { layTable } from "../table.ts";

/** A decision for programs. */
export interface DecisionReport {
  readonly verdict: Decision["verdict"];
  readonly risk: string;
  readonly reason: string;
  /** The rule that decided, as written, and where it stands. */
  readonly rule: string;
  readonly source: string;
  readonly parts: readonly PartReport[];
}

interface PartReport {
  readonly verdict: PartVerdict["verdict"];
  readonly kind: Part["kind"];
  readonly what: string;
  readonly risk: string;
  readonly reason: string;
  /** Null where the mode decided. */
  readonly rule: RuleOrigin | null;
  /** The piece of the command that it comes from. */
  readonly segment: { readonly text: string; readonly start: number; readonly end: number } | null;
}

export function reportDecision({ verdict, risk, record, parts }: Decision): DecisionReport {
  const { reason, rule, source } = record;
  return { verdict, risk, reason, rule, source, parts: parts.map(reportPart) };
}

function reportPart({ part, verdict, risk, reason, rule }: PartVerdict): PartReport {
  const segment = segmentOf(part);
  return {
    verdict,
    kind: part.kind,
    what: whatOf(part),
    risk,
    reason,
    rule: rule ?? null,
    segment: segment && { text: textOf(segment), ...segment.span },
  };
}

/** The same for people: the verdict, the command with the parts that decided marked, and every part with its rule. */
export function showDecision(decision: Decision, columns: number): string {
  const { verdict, parts } = decision;
  const command = parts.map(({ part }) => segmentOf(part)?.command).find((text) => text !== undefined);
  const spans = parts.flatMap((part) => (part.verdict === verdict ? (segmentOf(part.part)?.span ?? []) : []));
  return [
    `${verdict}: ${printable(describeRecord(decision))}\n`,
    command === undefined ? "" : `\n${markSegments(command, spans, columns).join("\n")}\n`,
    `\n${layTable(parts.filter(isTelling).map(toRow), "  ")}`,
  ].join("");
}

/** Why the call is judged as it is, by which rule, and where that stands. */
export function describeRecord({ decisive, record }: Decision): string {
  if (decisive.rule === undefined) return `${record.reason} (${record.rule})`;
  return `it would ${describePart(decisive.part)}: ${record.reason}\nby ${record.rule} (${record.source})`;
}

/** The tool as such is worth a line only where a rule is about it, or nothing else is known. */
function isTelling({ part, rule, verdict }: PartVerdict): boolean {
  return part.kind !== "use" || part.names === "nothing" || rule !== undefined || verdict !== "allow";
}

function toRow({ part, verdict, reason, rule }: PartVerdict): readonly string[] {
  const because = rule ? `${rule.text} (${formatOrigin(rule)})` : reason;
  return [verdict, part.kind, printableLine(whatOf(part)), printableLine(because)];
}

function whatOf(part: Part): string {
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

function segmentOf(part: Part): CommandSegment | null {
  return ("in" in part && part.in) || null;
}

function textOf({ command, span }: CommandSegment): string {
  return command.slice(span.start, span.end);
}
