import type { Fleet, FleetCounts, FleetStore, FleetWorker, LaneState, Run } from "../../fleet/fleet.ts";
import { formatDollars, formatDuration } from "../../fleet/results/format-results.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { printableLine } from "../../lib/text/printable.ts";
import type { Arguments } from "../command.ts";
import { fleetCommand } from "../commands/fleet.ts";
import { interruptible } from "../interruption.ts";
import { refuseOperands } from "../parse-arguments.ts";
import { printJson } from "../report.ts";
import { layTable, paint, print, remark } from "../terminal.ts";
import { followFleet } from "./follow-fleet.ts";
import { findFleet, withStore } from "./open-store.ts";
import { describeOutcomes, msLeft, runsIn } from "./progress-line.ts";

/** Runs `toolcrib fleet status`: of all fleets, or of one. */
export async function status({ options, operands: [name, ...rest] }: Arguments): Promise<number> {
  refuseOperands(rest, fleetCommand);
  return withStore(options, async (store) => {
    if (name === undefined && !options.has("watch")) return listFleets(store, options.has("json"));
    const { name: fleet } = await findFleet(store, name);
    if (options.has("watch")) {
      await interruptible((signal) => followFleet(store, fleet, { signal }));
      remark("\n");
    }
    const found = await readStatus(store, fleet);
    if (options.has("json")) printJson(toJson(found));
    else show(found);
    return 0;
  });
}

interface FleetStatus {
  readonly fleet: Fleet;
  readonly counts: FleetCounts;
  readonly left: number | undefined;
  readonly workers: readonly FleetWorker[];
  readonly lanes: readonly LaneState[];
  readonly parked: ReadonlyMap<string, readonly Run[]>;
}

async function readStatus(store: FleetStore, name: string): Promise<FleetStatus> {
  const [fleet, counts, workers, lanes, parked, left] = await Promise.all([
    findFleet(store, name),
    store.counts(name),
    store.workers(),
    store.lanes(),
    store.runs({ fleet: name, states: ["parked"] }),
    msLeft(store, name),
  ]);
  return { fleet, counts, workers, lanes, left, parked: Map.groupBy(parked, ({ reason }) => reason ?? "") };
}

async function listFleets(store: FleetStore, asJson: boolean): Promise<number> {
  const fleets = await store.fleets();
  const found = await Promise.all(
    fleets.map(async (fleet) => ({ fleet, counts: await store.counts(fleet.name) })),
  );
  if (asJson) printJson(found.map(({ fleet, counts }) => ({ ...fleet, ...counts })));
  else if (found.length === 0) remark("No fleets yet. To start one: toolcrib fleet submit fleet.yaml\n");
  else
    print(
      layTable(
        found.map(({ fleet, counts }) => [
          printableLine(fleet.name),
          `${counts.states.ended} of ${runsIn(counts)} ended`,
          describeOutcomes(counts),
          spendingOf(fleet),
        ]),
      ),
    );
  return 0;
}

function show({ fleet, counts, left, workers, lanes, parked }: FleetStatus): void {
  const { states } = counts;
  const now = Date.now();
  const rows = [
    [
      "Runs",
      `${states.ended} of ${runsIn(counts)} ended, ${states.running} running, ${states.waiting} waiting, ${states.parked} parked`,
    ],
    ["Outcomes", describeOutcomes(counts) || "none yet"],
    ["Spent", spendingOf(fleet)],
    ...(left === undefined ? [] : [["Left", `about ${formatDuration(left)}`]]),
    ["Workers", workers.length === 0 ? "none" : workers.map(describeWorker).join(", ")],
    ...lanes
      .filter(({ inFlight, pausedUntil }) => inFlight > 0 || pausedUntil > now)
      .map(({ lane, inFlight, pausedUntil }) => [
        `Lane ${printableLine(lane)}`,
        `${counted(inFlight, "request")} in flight${pausedUntil > now ? `, paused for ${formatDuration(pausedUntil - now)}` : ""}`,
      ]),
    ...[...parked].map(([reason, runs]) => ["Parked", `${runs.length}: ${printableLine(reason)}`]),
  ];
  print(`${paint(1, "bold", printableLine(fleet.name))}\n${layTable(rows, "  ")}`);
}

function describeWorker({ host, pid, slots, isDraining }: FleetWorker): string {
  return `${printableLine(host)}:${pid} (${counted(slots, "slot")}${isDraining ? ", draining" : ""})`;
}

function spendingOf({ spent, settings }: Fleet): string {
  return `${formatDollars(spent)}${settings.budget === null ? "" : ` of ${formatDollars(settings.budget)}`}`;
}

function toJson({ fleet, counts, left, workers, lanes, parked }: FleetStatus): object {
  return {
    ...fleet,
    ...counts,
    secondsLeft: left === undefined ? null : Math.round(left / 1000),
    workers,
    lanes,
    parked: [...parked].map(([reason, runs]) => ({ reason, runs: runs.map(({ id }) => id) })),
  };
}
