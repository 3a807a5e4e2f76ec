import type { Risk } from "../../contract/access.ts";
import type { Effect, SimpleCommand, Span } from "../commands/analysis.ts";

const ascending: readonly Risk[] = ["read", "write", "execute", "network", "destructive"];

/** How harmful, from 0. */
export function harm(risk: Risk): number {
  return ascending.indexOf(risk);
}

/** The more harmful of two. */
export function worse(one: Risk, other: Risk): Risk {
  return harm(one) >= harm(other) ? one : other;
}

/** What a command does by itself: the files that its redirections write are judged as such. */
export function ownRisk({ effects, redirections }: SimpleCommand): Risk {
  return effects
    .filter((effect) => !redirections.some(({ target }) => sameSpan(target.span, effect.span)))
    .reduce<Risk>((most, { risk }) => worse(most, risk), "read");
}

/** An effect that a word has beyond the file or host it names, which is judged as such. */
export function isSmuggled({ risk, span }: Effect, command: SimpleCommand): boolean {
  if (harm(risk) < harm("execute")) return false;
  return !command.accesses.some(({ kind, target }) => kind !== "read" && sameSpan(target.span, span));
}

export function sameSpan(one: Span, other: Span): boolean {
  return one.start === other.start && one.end === other.end;
}
