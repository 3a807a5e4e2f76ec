import { setTimeout } from "node:timers/promises";
import { ModelError } from "../models/model-error.ts";
import type { SessionLimits } from "./session.ts";

interface FailedAttempt {
  readonly error: ModelError;
  /** Counts from 1. */
  readonly attempt: number;
  readonly limits: Pick<SessionLimits, "retries" | "retryWaitMs">;
  /** From 0 up to 1. Default: `Math.random`. */
  readonly random?: () => number;
}

/**
 * Returns how many milliseconds to wait before the next attempt. Throws when a retry is pointless: a permanent error,
 * too many attempts, or a wait longer than the limit.
 */
export function retryWait({ error, attempt, limits, random = Math.random }: FailedAttempt): number {
  if (!error.isPassing) throw error;
  const { retries, retryWaitMs } = limits;
  const asked = error.retryAfterMs;
  if (asked !== undefined && asked > retryWaitMs) {
    const [wait, most] = [formatDuration(asked), formatDuration(retryWaitMs)];
    const note = `the provider asks to wait ${wait}, longer than the limit of ${most}`;
    throw withNote(error, note, error.hint ?? `Try again in ${wait}.`);
  }
  if (attempt > retries) throw attempt === 1 ? error : withNote(error, `${attempt} attempts`, error.hint);
  // Full jitter: clients that failed together do not retry together.
  const backOff = random() * Math.min(retryWaitMs, firstWaitMs * 2 ** (attempt - 1));
  // The wait is at least as long as the provider asks, plus a little jitter.
  const least = asked === undefined ? 0 : asked + random() * Math.min(firstWaitMs, asked / 10);
  return Math.round(Math.min(Math.max(backOff, least), retryWaitMs));
}

const firstWaitMs = 1_000;

function withNote(error: ModelError, note: string, hint: string | undefined): ModelError {
  const { code: kind, message, status, retryAfterMs } = error;
  return new ModelError(kind, `${message} (${note})`, { cause: error, hint, status, retryAfterMs });
}

/** "2 minutes", "3 hours". */
export function formatDuration(milliseconds: number): string {
  const { unit, size } = units.find((each) => milliseconds >= 2 * each.size) ?? units.at(-1)!;
  return `${Math.round(milliseconds / size)} ${unit}`;
}

const units = [
  { unit: "days", size: 86_400_000 },
  { unit: "hours", size: 3_600_000 },
  { unit: "minutes", size: 60_000 },
  { unit: "seconds", size: 1_000 },
  { unit: "ms", size: 1 },
] as const;

/** Resolves after the time, or when `signal` aborts. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await setTimeout(Math.min(milliseconds, longestTimer), undefined, { signal }).catch(() => {});
}

/** Node fires a longer timer at once. */
export const longestTimer = 2 ** 31 - 1;
