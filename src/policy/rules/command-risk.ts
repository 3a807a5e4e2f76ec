import { risks, type ToolRisk } from "../../contract/access.ts";
import type { Effect, SimpleCommand, Span } from "../commands/analysis.ts";

export function harm(risk: ToolRisk): number {
  return risks.indexOf(risk);
}

export function worse(one: ToolRisk, other: ToolRisk): ToolRisk {
  return harm(one) >= harm(other) ? one : other;
}

/** Returns the risk of a command itself. Files that redirections write are separate parts. */
export function ownRisk({ effects, redirections }: SimpleCommand): ToolRisk {
  const redirected = spansOf(redirections.map(({ target }) => target));
  return effects.reduce<ToolRisk>(
    (most, { risk, span }) => (redirected.has(spanKey(span)) ? most : worse(most, risk)),
    "read",
  );
}

/** Finds effects of a word besides the file or host that it names, which is a separate part. */
export function smuggledEffects({ effects, accesses }: SimpleCommand): readonly Effect[] {
  const named = spansOf(accesses.flatMap(({ kind, target }) => (kind === "read" ? [] : [target])));
  return effects.filter(({ risk, span }) => harm(risk) >= harm("execute") && !named.has(spanKey(span)));
}

export function sameSpan(one: Span, other: Span): boolean {
  return one.start === other.start && one.end === other.end;
}

/** Returns the spans of some parts of a command, for lookup. */
export function spansOf(parts: readonly { readonly span: Span }[]): ReadonlySet<number> {
  return new Set(parts.map(({ span }) => spanKey(span)));
}

/** Returns a unique key for a span, because no command is a million characters long. */
export function spanKey({ start, end }: Span): number {
  return start * 1_000_000 + end;
}
