import { type Fleet, type FleetCounts, type FleetStore, runOutcomes } from "../../fleet/fleet.ts";
import { estimateRemaining } from "../../fleet/progress.ts";
import { formatDollars, formatDuration } from "../../fleet/results/format-results.ts";
import { sumOf } from "../../fleet/results/statistics.ts";

/** `12 of 20 ended · 8 solved, 4 unsolved · 3 running · $1.20 of $5.00 · about 4 min left` */
export function progressLine(fleet: Fleet, counts: FleetCounts, left: number | undefined): string {
  const { states } = counts;
  const { budget } = fleet.settings;
  const parts = [
    `${states.ended} of ${runsIn(counts)} ended`,
    describeOutcomes(counts),
    `${states.running} running`,
    states.parked > 0 ? `${states.parked} parked` : "",
    `${formatDollars(fleet.spent)}${budget === null ? "" : ` of ${formatDollars(budget)}`}`,
    left === undefined ? "" : `about ${formatDuration(left)} left`,
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

export function describeOutcomes({ outcomes }: FleetCounts): string {
  const found = runOutcomes.filter((name) => outcomes[name] > 0);
  return found.map((name) => `${outcomes[name]} ${name}`).join(", ");
}

export function runsIn({ states }: FleetCounts): number {
  return sumOf(Object.values(states));
}

/** Estimates the time until all runs have ended; undefined when it is not known. */
export async function msLeft(store: FleetStore, fleet: string): Promise<number | undefined> {
  const [counts, ends] = await Promise.all([store.counts(fleet), store.latestEnds(fleet, 50)]);
  return estimateRemaining(counts, ends, Date.now()) || undefined;
}
