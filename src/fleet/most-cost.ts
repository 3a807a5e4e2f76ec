import type { RunSpec } from "./fleet.ts";
import { sumOf } from "./results/statistics.ts";

export interface MostCostOptions {
  /** US dollars for all runs together; null for no limit. */
  readonly budget: number | null;
  /** How many runs work at the same time at most. */
  readonly atOnce: number;
  /** The most that one request to a model can cost; null when it is not known. */
  readonly mostOf: (model: string) => number | null;
}

/**
 * Returns the most US dollars that runs can cost; null when nothing limits it. A request begins below a limit and may pass
 * it, so each run may cost one request more than its limit, and the fleet one request more for each run that works then.
 */
export function mostCost(
  runs: readonly Pick<RunSpec, "model" | "limits">[],
  { budget, atOnce, mostOf }: MostCostOptions,
): number | null {
  const requests = runs.flatMap(({ model }) => mostOf(model) ?? []);
  if (requests.length < runs.length) return null;
  const limits = runs.flatMap(({ limits }) => limits.dollars ?? []);
  const byLimits = limits.length < runs.length ? null : sumOf(limits) + sumOf(requests);
  const dearest = requests.toSorted((one, other) => other - one).slice(0, atOnce);
  const byBudget = budget === null ? null : budget + sumOf(dearest);
  if (byLimits === null || byBudget === null) return byLimits ?? byBudget;
  return Math.min(byLimits, byBudget);
}
