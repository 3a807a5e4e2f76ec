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
 * How long to wait before the next attempt. Throws when a retry is pointless: a permanent error, too many attempts, or a
 * wait longer than the limit.
 */
export function retryWait({ error, attempt, limits, random = Math.random }: FailedAttempt): number {
  if (!error.isPassing) throw error;
  const { retries, retryWaitMs } = limits;
  const asked = error.retryAfterMs;
  if (asked !== undefined && asked > retryWaitMs) throw tooLong(error, asked, retryWaitMs);
  if (attempt > retries) throw givenUp(error, attempt);
  // Full jitter: clients that failed together do not retry together.
  const backOff = random() * Math.min(retryWaitMs, firstWaitMs * 2 ** (attempt - 1));
  // At least what the provider asks for, plus a little jitter.
  const least = asked === undefined ? 0 : asked + random() * Math.min(firstWaitMs, asked / 10);
  return Math.round(Math.min(Math.max(backOff, least), retryWaitMs));
}

/** Most passing errors pass within seconds. */
const firstWaitMs = 1_000;

function tooLong(error: ModelError, asked: number, most: number): ModelError {
  const wait = `The provider asks to wait ${formatDuration(asked)}; we wait ${formatDuration(most)} at most`;
  return withMessage(
    error,
    `${error.message} (${wait})`,
    error.hint ?? `Try again in ${formatDuration(asked)}.`,
  );
}

function givenUp(error: ModelError, attempts: number): ModelError {
  if (attempts === 1) return error;
  return withMessage(error, `${error.message} (asked ${attempts} times)`, error.hint);
}

function withMessage(error: ModelError, message: string, hint: string | undefined): ModelError {
  const { kind, status, retryAfterMs } = error;
  return new ModelError(kind, message, { cause: error, hint, status, retryAfterMs });
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
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(milliseconds, longestTimer));
    signal.addEventListener("abort", end);
  });
}

/** A longer timer would fire at once. */
export const longestTimer = 2 ** 31 - 1;
