import type { TurnResult } from "../../agent/index.ts";
import type { RunLimits, RunOutcome } from "../fleet.ts";

/** The end of one delivery of a run. `lost`: another worker has the run, so nothing is written. */
export type WorkEnd =
  | { readonly kind: "ended"; readonly outcome: RunOutcome; readonly reason: string }
  | { readonly kind: "parked"; readonly reason: string }
  | { readonly kind: "released" }
  | { readonly kind: "lost" };

/** Why the work was stopped from outside of the turn. */
export type StopReason = "lost" | "cancelled" | "drain" | "minutes";

export interface TurnFacts {
  readonly stop: StopReason | undefined;
  readonly turn: Pick<TurnResult, "outcome" | "error">;
  /** Why requests were refused before they were sent. */
  readonly refusal: "budget" | "cancelled" | "parked" | undefined;
  readonly limits: RunLimits;
  /** US dollars for the whole fleet, which no run may spend alone; null for no limit. */
  readonly budget: number | null;
  /** US dollars of the run so far, as far as prices are known. */
  readonly cost: number;
}

/** Decides what follows a turn: the end of the delivery, or undefined for the check. */
export function decideTurn({ stop, turn, refusal, limits, budget, cost }: TurnFacts): WorkEnd | undefined {
  if (stop === "lost") return { kind: "lost" };
  if (stop === "cancelled") return cancelled;
  // The session is closed, so the next delivery runs the check.
  if (turn.outcome === "completed") return stop === "drain" ? { kind: "released" } : undefined;
  if (turn.outcome === "loop") return ended("unsolved", "The model repeated itself.");
  if (turn.outcome === "limit") {
    if (limits.dollars !== null && cost >= limits.dollars)
      return ended("unsolved", `The model reached the limit of ${limits.dollars} dollars.`);
    if (budget !== null && cost >= budget) return usedUp;
    return ended("unsolved", `The model reached the limit of ${limits.rounds} rounds.`);
  }
  if (stop === "minutes")
    return ended("unsolved", `The model reached the limit of ${limits.minutes} minutes.`);
  if (turn.outcome === "aborted") return { kind: "released" };
  if (refusal === "budget") return usedUp;
  if (refusal === "cancelled") return { kind: "lost" };
  const { code, message } = turn.error ?? { code: "internal", message: "The turn failed." };
  // The model did answer, several times, and was paid for it.
  if (code === "empty") return ended("unsolved", message);
  if (refusal === "parked" || passing.has(code)) return { kind: "parked", reason: message };
  return ended("infrastructure", message);
}

/** Failures of a provider that waiting can fix. */
const passing: ReadonlySet<string> = new Set([
  ...["rate-limit", "server", "network", "quota", "timeout", "cut"],
]);

/** The result of the check command; `refusal` says why it did not run. */
export interface CheckResult {
  readonly exitCode: number | null;
  readonly output: string;
  readonly isTimeout: boolean;
  readonly refusal: string | undefined;
}

/** Decides the outcome of a run whose model has ended. Without a check, that counts as solved. */
export function decideCheck(check: CheckResult | undefined): WorkEnd {
  if (check === undefined) return ended("solved", "The model ended; the task has no check.");
  if (check.refusal !== undefined) return ended("infrastructure", check.refusal);
  if (check.isTimeout) return ended("unsolved", "The check reached its time limit.");
  if (check.exitCode === 0) return ended("solved", "The check passed.");
  return ended("unsolved", `The check failed: exit code ${check.exitCode ?? "unknown"}.`);
}

export const usedUp: WorkEnd = ended("budget", "The budget of the fleet is used up.");

export const cancelled: WorkEnd = ended("cancelled", "The user cancelled it.");

export function ended(outcome: RunOutcome, reason: string): WorkEnd & { readonly kind: "ended" } {
  return { kind: "ended", outcome, reason };
}

/** Returns for how long a run is parked: as long as it has been parked already, at least `leastMs`, with jitter. */
export function parkingTime(
  now: number,
  parkedSince: number | null,
  { leastMs, random = Math.random }: { readonly leastMs: number; readonly random?: () => number },
): number {
  const backOff = Math.min(mostParkingMs, Math.max(leastMs, now - (parkedSince ?? now)));
  return Math.round(backOff * (0.75 + random() / 2));
}

const mostParkingMs = 10 * 60_000;
