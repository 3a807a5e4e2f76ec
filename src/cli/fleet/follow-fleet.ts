import { setTimeout as pause } from "node:timers/promises";
import type { FleetCounts, FleetStore, Run } from "../../fleet/fleet.ts";
import { formatDollars, formatDuration } from "../../fleet/results/format-results.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { canRedraw, columnsOf, paint, remark, startOfLine } from "../terminal.ts";
import { findFleet } from "./open-store.ts";
import { msLeft, progressLine, runsIn } from "./progress-line.ts";

/**
 * Shows the progress of a fleet until all its runs have ended or `signal` aborts: one line per ended run, and on a terminal
 * a line below them that changes. Other outputs get a line of progress every half minute.
 */
export async function followFleet(
  store: FleetStore,
  name: string,
  { signal, isQuiet = false }: { readonly signal: AbortSignal; readonly isQuiet?: boolean },
): Promise<FleetCounts> {
  const redraws = canRedraw(2);
  const ends = await endsOf(store, name);
  let nextLineAt = Date.now() + lineMs;
  let left: number | undefined;
  for (;;) {
    const [fleet, counts] = await Promise.all([findFleet(store, name), store.counts(name)]);
    const fresh = isQuiet ? [] : await ends.next(counts.states.ended);
    if (fresh.length > 0) {
      remark(`${redraws ? startOfLine : ""}${fresh.map(endedLine).join("")}`);
      left = await msLeft(store, name);
    }
    const isOver = counts.states.ended === runsIn(counts) || signal.aborted;
    const line = progressLine(fleet, counts, left);
    if (redraws && !isQuiet) remark(`${startOfLine}${isOver ? "" : line.slice(0, columnsOf(2) - 1)}`);
    else if (!isQuiet && Date.now() >= nextLineAt) {
      nextLineAt = Date.now() + lineMs;
      remark(`${line}\n`);
    }
    if (isOver) return counts;
    await pause(pollMs, undefined, { signal }).catch(() => {});
  }
}

/** Finds the runs that have ended since the last look, without reading the others again. */
async function endsOf(store: FleetStore, fleet: string) {
  const [latest = 0] = await store.latestEnds(fleet, 1);
  let known = await store.runs({ fleet, endedSince: latest - overlapMs });
  let count = (await store.counts(fleet)).states.ended;
  return {
    /** `ended`: how many runs have ended by now. */
    next: async (ended: number): Promise<readonly Run[]> => {
      if (ended === count) return [];
      count = ended;
      const last = known.reduce((most, { endedAt }) => Math.max(most, endedAt ?? 0), 0);
      const found = await store.runs({ fleet, endedSince: last - overlapMs });
      const before = new Set(known.map(({ id, endedAt }) => `${id} ${endedAt}`));
      known = found;
      return found.filter(({ id, endedAt }) => !before.has(`${id} ${endedAt}`));
    },
  };
}

/** An end may become visible later than another one that has a later time. */
const overlapMs = 60_000;
const pollMs = 300;
const lineMs = 30_000;

/** `solved  parser-7  $0.12  3 min  the check passed` */
function endedLine({ spec, outcome, reason, result }: Run): string {
  const tone = outcome === "solved" ? "green" : outcome === "unsolved" ? "yellow" : "red";
  const facts = [
    spec.task,
    formatDollars(result?.cost ?? null),
    formatDuration(result?.workMs ?? null),
    reason ?? "",
  ];
  return `${paint(2, tone, (outcome ?? "ended").padEnd(8))}  ${facts.map(printableLine).join("  ")}\n`;
}
