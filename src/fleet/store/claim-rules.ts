import type { RunState } from "../fleet.ts";

/** The facts that decide whether a worker may have a run. All times are of the database. */
export interface ClaimFacts {
  readonly state: RunState;
  readonly notBefore: number;
  readonly now: number;
  /** Whether the worker that has the run lives. */
  readonly isWorkerAlive: boolean;
  /** Whether the run has a session in the working folder of another machine. */
  readonly isElsewhere: boolean;
  readonly isMachineAlive: boolean;
  /** When a worker of that machine was seen last; null when it was forgotten. */
  readonly machineSeenAt: number | null;
  /** After which silence of its machine a run starts over on another one. */
  readonly adoptAfterMs: number;
}

/** `resume`: with its session, if it has one. `restart`: without. `later`: undefined when the run has ended. */
export type ClaimDecision =
  | { readonly kind: "resume" | "restart" }
  | { readonly kind: "later"; readonly again: number | undefined };

export function decideClaim(facts: ClaimFacts): ClaimDecision {
  const { state, notBefore, now } = facts;
  if (state === "ended") return { kind: "later", again: undefined };
  if (state === "running" && facts.isWorkerAlive) return { kind: "later", again: now + elsewhereMs() };
  if (state !== "running" && notBefore > now) return { kind: "later", again: notBefore };
  if (!facts.isElsewhere) return { kind: "resume" };
  const isLost = (facts.machineSeenAt ?? 0) < now - facts.adoptAfterMs;
  if (!facts.isMachineAlive && isLost) return { kind: "restart" };
  return { kind: "later", again: now + elsewhereMs() };
}

/** A run that only another machine may have now is offered again soon; with jitter, so that many do not come at once. */
function elsewhereMs(): number {
  return 2_000 + Math.random() * 2_000;
}
