import type { RunSpec } from "./fleet.ts";

/**
 * Returns what runs of one task have in common, whatever their model: `parser-7`, or `parser-7 2` with repetitions.
 * Comparisons pair runs by it.
 */
export function caseOf({ task }: Pick<RunSpec, "task">): string {
  const [name, ...rest] = task.split(" ");
  return [name, ...rest.filter((word) => /^\d+$/.test(word))].join(" ");
}
