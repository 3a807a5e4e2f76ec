import { ToolError } from "../../contract/error.ts";
import type { Run, RunSpec } from "../fleet.ts";
import { type Difference, mcNemar, type Pairs, pairedDifference } from "./statistics.ts";
import { type RunSummary, summariseRuns, sumOf } from "./summarise-runs.ts";

/** Runs under one name: a fleet, or a model. */
export interface Side {
  readonly name: string;
  readonly runs: readonly Run[];
}

/** Two sides, compared over the tasks that both solved or did not solve. */
export interface Comparison {
  readonly first: { readonly name: string; readonly summary: RunSummary };
  readonly second: { readonly name: string; readonly summary: RunSummary };
  readonly tasks: number;
  readonly pairs: Pairs;
  /** First minus second; null without common tasks. */
  readonly difference: Difference | null;
  /** McNemar's exact test. */
  readonly p: number;
  /** First divided by second, over the common tasks; null when unknown. */
  readonly costRatio: number | null;
  readonly timeRatio: number | null;
}

export function compareRuns(first: Side, second: Side): Comparison {
  const common = pairUp(first.runs, second.runs);
  const count = (one: boolean, other: boolean) =>
    common.filter(([a, b]) => (a.outcome === "solved") === one && (b.outcome === "solved") === other).length;
  const pairs: Pairs = {
    both: count(true, true),
    onlyFirst: count(true, false),
    onlySecond: count(false, true),
    neither: count(false, false),
  };
  return {
    first: { name: first.name, summary: summariseRuns(first.runs) },
    second: { name: second.name, summary: summariseRuns(second.runs) },
    tasks: common.length,
    pairs,
    difference: pairedDifference(pairs) ?? null,
    p: mcNemar(pairs),
    costRatio: ratioOf(common, ({ result }) => result?.cost ?? null),
    timeRatio: ratioOf(common, ({ result }) => result?.workMs ?? null),
  };
}

/** Compares a fleet with another one; or, when `other` is one of its models, each other model with that one. */
export function comparisonsOf(fleet: Side, other: Side | undefined, model: string): readonly Comparison[] {
  if (other !== undefined) return [compareRuns(fleet, other)];
  const byModel = Map.groupBy(fleet.runs, ({ spec }) => spec.model);
  const base = byModel.get(model);
  if (base === undefined || byModel.size < 2)
    throw new ToolError(
      "not-found",
      `${model} is not a fleet, and not one of several models of ${fleet.name}`,
      {
        hint:
          byModel.size < 2
            ? "Use the name of another fleet, from: toolcrib fleet status"
            : `Use another fleet, or one of: ${[...byModel.keys()].join(", ")}`,
      },
    );
  return [...byModel]
    .filter(([name]) => name !== model)
    .map(([name, runs]) => compareRuns({ name, runs }, { name: model, runs: base }));
}

/**
 * Returns what runs of one task have in common, whatever their model: `parser-7 2` for the second repetition. A run
 * without repetitions counts as the first.
 */
export function caseOf({ task }: Pick<RunSpec, "task">): string {
  const [name, ...rest] = task.split(" ");
  return `${name} ${rest.find((word) => /^\d+$/.test(word)) ?? 1}`;
}

/** Pairs the decided runs of the same task. Sides with several models pair only runs with the same model. */
function pairUp(first: readonly Run[], second: readonly Run[]): readonly (readonly [Run, Run])[] {
  const hasOneModel = [first, second].every((runs) => new Set(runs.map(({ spec }) => spec.model)).size <= 1);
  const keyOf = ({ spec }: Run) => (hasOneModel ? caseOf(spec) : `${caseOf(spec)} ${spec.model}`);
  const isDecided = ({ outcome }: Run) => outcome === "solved" || outcome === "unsolved";
  const others = new Map(second.filter(isDecided).map((run) => [keyOf(run), run]));
  return first.filter(isDecided).flatMap((run) => {
    const other = others.get(keyOf(run));
    return other === undefined ? [] : [[run, other] as const];
  });
}

function ratioOf(pairs: readonly (readonly [Run, Run])[], value: (run: Run) => number | null): number | null {
  const known = pairs.flatMap(([first, second]) => {
    const [one, other] = [value(first), value(second)];
    return one === null || other === null ? [] : [[one, other] as const];
  });
  const below = sumOf(known.map(([, other]) => other));
  return below > 0 ? sumOf(known.map(([one]) => one)) / below : null;
}
