/** A share with its 95 % confidence interval. */
export interface Rate {
  readonly successes: number;
  readonly total: number;
  /** Null without any trial. */
  readonly share: number | null;
  readonly low: number;
  readonly high: number;
}

/** The outcomes of the same tasks on two sides. */
export interface Pairs {
  readonly both: number;
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly neither: number;
}

export interface Difference {
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

/** The quantile of the normal distribution for 95 %. */
const z = 1.959_963_984_540_054;

/** Wilson's score interval, which also holds for few trials and for shares near 0 and 1. */
export function wilson(successes: number, total: number): Rate {
  if (total === 0) return { successes, total, share: null, low: 0, high: 1 };
  const share = successes / total;
  const middle = share + z ** 2 / (2 * total);
  const spread = z * Math.sqrt((share * (1 - share)) / total + z ** 2 / (4 * total ** 2));
  const scale = 1 + z ** 2 / total;
  return {
    successes,
    total,
    share,
    low: successes === 0 ? 0 : Math.max(0, (middle - spread) / scale),
    high: successes === total ? 1 : Math.min(1, (middle + spread) / scale),
  };
}

/** Newcombe's interval for the difference of paired shares (1998, method 10): first minus second. */
export function pairedDifference({ both, onlyFirst, onlySecond, neither }: Pairs): Difference | undefined {
  const total = both + onlyFirst + onlySecond + neither;
  if (total === 0) return undefined;
  const first = wilson(both + onlyFirst, total);
  const second = wilson(both + onlySecond, total);
  const margins = (both + onlyFirst) * (onlySecond + neither) * (both + onlySecond) * (onlyFirst + neither);
  const product = both * neither - onlyFirst * onlySecond;
  const corrected = product > 0 ? Math.max(product - total / 2, 0) : product;
  const phi = margins === 0 ? 0 : corrected / Math.sqrt(margins);
  const reach = (down: number, up: number) =>
    Math.sqrt(Math.max(0, down ** 2 - 2 * phi * down * up + up ** 2));
  const difference = first.share! - second.share!;
  return {
    difference,
    low: Math.max(-1, difference - reach(first.share! - first.low, second.high - second.share!)),
    high: Math.min(1, difference + reach(first.high - first.share!, second.share! - second.low)),
  };
}

/** McNemar's exact test, two-sided: how likely so uneven pairs are when both sides are equally good. */
export function mcNemar({ onlyFirst, onlySecond }: Pick<Pairs, "onlyFirst" | "onlySecond">): number {
  const total = onlyFirst + onlySecond;
  let sum = 0;
  // Logarithms, because 2 ** -total would be 0 for many pairs.
  let term = -total * Math.LN2;
  for (let count = 0; count <= Math.min(onlyFirst, onlySecond); count += 1) {
    sum += Math.exp(term);
    term += Math.log(total - count) - Math.log(count + 1);
  }
  return Math.min(1, 2 * sum);
}

export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
