/** How often the runs of one task were solved, of those that were solved or unsolved. */
export interface TaskCount {
  readonly solved: number;
  readonly runs: number;
}

/** A share of runs with its 95 % confidence interval. */
export interface Rate {
  readonly successes: number;
  readonly total: number;
  /** How many independent runs say as much as these do: repetitions of a task resemble each other. */
  readonly effective: number;
  /** Null without any run. */
  readonly share: number | null;
  readonly low: number;
  readonly high: number;
}

/** The probability that at least one of `k` runs of a task is solved, over all tasks. */
export interface PassAt {
  readonly k: number;
  readonly share: number;
  /** The standard error between tasks; null for one task. */
  readonly error: number | null;
}

/** The quantile of the normal distribution for 95 %. */
const z = 1.959_963_984_540_054;

/** The share of solved runs, with Wilson's score interval over the effective number of runs. */
export function solvedRate(tasks: readonly TaskCount[]): Rate {
  const successes = sumOf(tasks.map(({ solved }) => solved));
  const total = sumOf(tasks.map(({ runs }) => runs));
  if (total === 0) return { successes, total, effective: 0, share: null, low: 0, high: 1 };
  const share = successes / total;
  const effective = total / designEffect(tasks, share, total);
  const { low, high } = wilson(share, effective);
  return { successes, total, effective, share, low, high };
}

/**
 * By how much clusters of similar runs widen the interval: the variance of the share by tasks, divided by its variance if
 * all runs were independent. Both are estimated from a sample, so they have the factors k / (k − 1) for k tasks and
 * n / (n − 1) for n runs. At least 1, so that chance differences never make an interval narrower, and at most as if all
 * runs of a task agreed.
 */
function designEffect(tasks: readonly TaskCount[], share: number, total: number): number {
  const most = sumOf(tasks.map(({ runs }) => runs ** 2)) / total;
  const counted = tasks.filter(({ runs }) => runs > 0).length;
  // Runs that all agree, or are all of one task, do not show whether repetitions are independent.
  if (share === 0 || share === 1 || counted === 1) return most;
  const between = sumOf(tasks.map(({ solved, runs }) => (solved - share * runs) ** 2));
  const byTasks = ((counted / (counted - 1)) * between) / total ** 2;
  const independent = (share * (1 - share)) / (total - 1);
  return Math.min(most, Math.max(1, byTasks / independent));
}

/** Wilson's score interval, which also holds for few trials and for shares near 0 and 1. */
export function wilson(share: number, trials: number): { readonly low: number; readonly high: number } {
  const middle = share + z ** 2 / (2 * trials);
  const spread = z * Math.sqrt((share * (1 - share)) / trials + z ** 2 / (4 * trials ** 2));
  const scale = 1 + z ** 2 / trials;
  return {
    low: share === 0 ? 0 : Math.max(0, (middle - spread) / scale),
    high: share === 1 ? 1 : Math.min(1, (middle + spread) / scale),
  };
}

/**
 * pass@k by the unbiased estimator of Chen et al. 2021: for each task, the share of its sets of `k` runs that contain a
 * solved one. Every task needs at least `k` runs.
 */
export function passAt(k: number, tasks: readonly TaskCount[]): PassAt {
  const shares = tasks.map((task) => 1 - noneSolved(k, task));
  const share = sumOf(shares) / shares.length;
  const squares = sumOf(shares.map((each) => (each - share) ** 2));
  const error = shares.length < 2 ? null : Math.sqrt(squares / (shares.length * (shares.length - 1)));
  return { k, share, error };
}

/** The share of the sets of `k` runs without a solved one: C(runs − solved, k) / C(runs, k). */
function noneSolved(k: number, { solved, runs }: TaskCount): number {
  let share = 1;
  for (let taken = 0; taken < k; taken += 1) share *= Math.max(0, runs - solved - taken) / (runs - taken);
  return share;
}

export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
