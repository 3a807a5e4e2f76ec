import type { FleetCounts } from "./fleet.ts";

/**
 * Estimates the milliseconds until the last run ends, from the rate of the latest ends. Null while too few have ended. The
 * rate counts up to now, so the estimate grows while nothing ends.
 */
export function estimateRemaining(
  { states }: Pick<FleetCounts, "states">,
  latestEnds: readonly number[],
  now: number,
): number | null {
  const remaining = states.waiting + states.running + states.parked;
  if (remaining === 0) return 0;
  if (latestEnds.length < 3) return null;
  const first = Math.min(...latestEnds);
  // The first end begins the interval, and is not within it.
  return Math.round((remaining * Math.max(1, now - first)) / (latestEnds.length - 1));
}
