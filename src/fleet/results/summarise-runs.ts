import { type Run, type RunOutcome, type RunState, runOutcomes, runStates } from "../fleet.ts";
import { median, type PassAt, passAt, type Rate, solvedRate, sumOf, type TaskCount } from "./statistics.ts";

/** The results of some runs: of a fleet, or of one model in it. */
export interface RunSummary {
  readonly model: string | null;
  readonly runs: number;
  readonly states: Readonly<Record<RunState, number>>;
  readonly outcomes: Readonly<Record<RunOutcome, number>>;
  /** Solved among solved and unsolved. Other outcomes say nothing about the model. */
  readonly solved: Rate;
  /**
   * pass@1, and pass@k for the number of runs that every task has at least. Empty without runs, and for several models.
   */
  readonly passAt: readonly PassAt[];
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
  const tasks = countByTask(runs);
  const results = runs.flatMap(({ result }) => result ?? []);
  const costs = results.flatMap(({ cost }) => cost ?? []);
  return {
    model,
    runs: runs.length,
    states,
    outcomes,
    solved: solvedRate(tasks),
    passAt: new Set(runs.map(({ spec }) => spec.model)).size > 1 ? [] : passesOf(tasks),
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

/** Counts the solved and unsolved runs of each task: its repetitions, and its models. */
function countByTask(runs: readonly Run[]): readonly TaskCount[] {
  const decided = runs.filter(({ outcome }) => outcome === "solved" || outcome === "unsolved");
  const byTask = Map.groupBy(decided, ({ spec }) => spec.task.split(" ")[0]);
  return [...byTask.values()].map((own) => ({
    solved: own.filter(({ outcome }) => outcome === "solved").length,
    runs: own.length,
  }));
}

function passesOf(tasks: readonly TaskCount[]): readonly PassAt[] {
  if (tasks.length === 0) return [];
  const least = Math.min(...tasks.map(({ runs }) => runs));
  return (least === 1 ? [1] : [1, least]).map((k) => passAt(k, tasks));
}
