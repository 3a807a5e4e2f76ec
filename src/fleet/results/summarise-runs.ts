import { type Run, type RunOutcome, type RunState, runOutcomes, runStates } from "../fleet.ts";
import { median, type Rate, wilson } from "./statistics.ts";

/** The results of some runs: of a fleet, or of one model in it. */
export interface RunSummary {
  readonly model: string | null;
  readonly runs: number;
  readonly states: Readonly<Record<RunState, number>>;
  readonly outcomes: Readonly<Record<RunOutcome, number>>;
  /** Solved among solved and unsolved. Other outcomes say nothing about the model. */
  readonly solved: Rate;
  /** US dollars of ended runs; null when a price is unknown. */
  readonly cost: number | null;
  readonly tokens: number;
  readonly medianCost: number | null;
  readonly medianMinutes: number | null;
}

export function summariseRuns(runs: readonly Run[], model: string | null = null): RunSummary {
  const states = countBy(
    runStates,
    runs.map(({ state }) => state),
  );
  const outcomes = countBy(
    runOutcomes,
    runs.flatMap(({ outcome }) => outcome ?? []),
  );
  const results = runs.flatMap(({ result }) => result ?? []);
  const costs = results.flatMap(({ cost }) => cost ?? []);
  return {
    model,
    runs: runs.length,
    states,
    outcomes,
    solved: wilson(outcomes.solved, outcomes.solved + outcomes.unsolved),
    cost: costs.length < results.length ? null : sumOf(costs),
    tokens: sumOf(results.map(({ usage }) => usage.input + usage.output)),
    medianCost: median(costs),
    medianMinutes: median(results.map(({ workMs }) => workMs / 60_000)),
  };
}

/** One summary per model, in the order of their first run. */
export function summariseByModel(runs: readonly Run[]): readonly RunSummary[] {
  const byModel = Map.groupBy(runs, ({ spec }) => spec.model);
  return [...byModel].map(([model, own]) => summariseRuns(own, model));
}

function countBy<Name extends string>(names: readonly Name[], found: readonly Name[]): Record<Name, number> {
  const counts = Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
  for (const name of found) counts[name] += 1;
  return counts;
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
