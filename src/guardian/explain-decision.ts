import type { Risk } from "../contract/access.ts";
import type { Span } from "./commands/analysis.ts";
import { describePart } from "./describe-part.ts";
import { placeOf } from "./guard-paths.ts";
import type { Decision, PartVerdict } from "./policy.ts";

/** A decision in words and places, for `policy explain`. */
export interface Explanation {
  readonly verdict: PartVerdict["verdict"];
  readonly risk: Risk;
  /** The part that decided. */
  readonly because: ExplainedPart;
  readonly parts: readonly ExplainedPart[];
}

export interface ExplainedPart {
  readonly verdict: PartVerdict["verdict"];
  readonly risk: Risk;
  /** "read .env", "run `git push`". */
  readonly what: string;
  readonly reason: string;
  /** The rule as written and where it stands; undefined when the mode decided. */
  readonly rule: string | undefined;
  readonly source: string | undefined;
  /** The piece of the command that it is about. */
  readonly segment: { readonly text: string; readonly span: Span } | undefined;
}

/** Says which rule decided, where it stands, and because of which piece of the call. */
export function explainDecision({ verdict, risk, decisive, parts }: Decision): Explanation {
  return { verdict, risk, because: explainPart(decisive), parts: parts.map(explainPart) };
}

function explainPart({ part, verdict, risk, rule, reason }: PartVerdict): ExplainedPart {
  const within = "in" in part ? part.in : undefined;
  const segment = within && {
    text: within.command.slice(within.span.start, within.span.end),
    span: within.span,
  };
  return {
    verdict,
    risk,
    what: describePart(part),
    reason,
    rule: rule?.text,
    source: rule && placeOf(rule),
    segment,
  };
}
