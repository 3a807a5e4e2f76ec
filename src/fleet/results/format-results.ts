import type { Comparison } from "./compare-runs.ts";
import type { Rate } from "./statistics.ts";

export function formatDollars(amount: number | null): string {
  if (amount === null) return "unknown";
  const isFine = amount < 0.1 && Math.abs(amount * 100 - Math.round(amount * 100)) > 1e-9;
  return `$${amount.toFixed(isFine ? 4 : 2)}`;
}

/** `45 s`, `12 min`, `3 h 05 min` */
export function formatDuration(ms: number | null): string {
  if (ms === null) return "–";
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

function formatPercent(share: number): string {
  return `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

/** `62 % (48–74 %)` */
export function formatRate({ share, low, high }: Rate): string {
  if (share === null) return "–";
  return `${formatPercent(share)} (${(low * 100).toFixed(0)}–${(high * 100).toFixed(0)} %)`;
}

/** Returns the sentences of a comparison. The interval says how sure it is. */
export function describeComparison({
  first,
  second,
  tasks,
  pairs,
  difference,
  p,
  ...ratios
}: Comparison): readonly string[] {
  const points = (value: number) =>
    `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value * 100).toFixed(1)}`;
  if (difference === null) return [`${first.name} and ${second.name} have no decided task in common.`];
  const { low, high } = difference;
  const isClear = low > 0 || high < 0;
  const better = difference.difference > 0 ? first.name : second.name;
  return [
    `${first.name} solved ${formatRate(first.summary.solved)} of its tasks, ${second.name} ${formatRate(second.summary.solved)}.`,
    `Over the ${tasks} common tasks the difference is ${points(difference.difference)} points (95 % interval ${points(low)} to ${points(high)}, p = ${p < 0.001 ? "< 0.001" : p.toFixed(3)}).`,
    `Only ${first.name} solved ${pairs.onlyFirst}, only ${second.name} ${pairs.onlySecond}; both solved ${pairs.both}, neither ${pairs.neither}.`,
    isClear ? `${better} is better on these tasks.` : "The tasks do not decide which one is better.",
    ...(ratios.costRatio === null
      ? []
      : [`${first.name} costs ${ratios.costRatio.toFixed(2)} times as much as ${second.name}.`]),
    ...(ratios.timeRatio === null
      ? []
      : [`${first.name} takes ${ratios.timeRatio.toFixed(2)} times as long as ${second.name}.`]),
  ];
}
