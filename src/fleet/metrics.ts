import type {
  Fleet,
  FleetCounts,
  FleetStore,
  FleetWorker,
  LaneState,
  Run,
  RunOutcome,
  RunResult,
} from "./fleet.ts";

/** A worker reports to it while it works. It counts for one process; Prometheus adds the processes up. */
export interface FleetObserver {
  /** A worker begins or continues a run. */
  delivered(run: Run): void;
  parked(run: Run): void;
  ended(run: Run, outcome: RunOutcome, result: RunResult): void;
}

/** Collects the metrics of one worker process, and renders them with those of the store in Prometheus' text format. */
export class FleetMetrics implements FleetObserver {
  readonly #store: Pick<FleetStore, "fleets" | "counts" | "workers" | "lanes">;
  readonly #now: () => number;
  readonly #deliveries = new Counter();
  readonly #parked = new Counter();
  readonly #ended = new Counter();
  readonly #tokens = new Counter();
  readonly #durations = new Map<string, Histogram>();

  constructor(
    store: Pick<FleetStore, "fleets" | "counts" | "workers" | "lanes">,
    now: () => number = Date.now,
  ) {
    this.#store = store;
    this.#now = now;
  }

  delivered({ fleet, deliveries }: Run): void {
    this.#deliveries.add({ fleet, kind: deliveries > 1 ? "again" : "first" });
  }

  parked({ fleet }: Run): void {
    this.#parked.add({ fleet });
  }

  ended({ fleet, spec }: Run, outcome: RunOutcome, { usage, workMs }: RunResult): void {
    const { model } = spec;
    this.#ended.add({ fleet, outcome });
    for (const [kind, count] of Object.entries(usage)) this.#tokens.add({ fleet, model, kind }, count);
    const key = JSON.stringify({ fleet, outcome });
    const known = this.#durations.get(key) ?? new Histogram({ fleet, outcome });
    this.#durations.set(key, known);
    known.observe(workMs / 1000);
  }

  /** Throws when the store does not answer. */
  async ping(): Promise<void> {
    await this.#store.workers();
  }

  /** Returns the text of `/metrics`. */
  async render(): Promise<string> {
    const all = [...(await this.#store.fleets())].sort((one, other) => other.createdAt - one.createdAt);
    const fleets = await Promise.all(
      all
        .slice(0, shownFleets)
        .map(async (fleet) => ({ fleet, counts: await this.#store.counts(fleet.name) })),
    );
    const [workers, lanes] = await Promise.all([this.#store.workers(), this.#store.lanes()]);
    const families = [
      ...fleetFamilies(fleets),
      ...laneFamilies(lanes, this.#now()),
      ...workerFamilies(workers, this.#now()),
      ...this.#ownFamilies(),
    ];
    return families.map(renderFamily).join("");
  }

  #ownFamilies(): readonly Family[] {
    const durations = [...this.#durations.values()].flatMap((histogram) => histogram.samples);
    return [
      ["deliveries_total", "counter", "Runs that this process began or resumed.", this.#deliveries.samples],
      ["parked_total", "counter", "Times that this process parked a run.", this.#parked.samples],
      ["ended_total", "counter", "Runs that this process ended.", this.#ended.samples],
      ["tokens_total", "counter", "Tokens of the runs that this process ended.", this.#tokens.samples],
      ["run_duration_seconds", "histogram", "Time of work of the runs that this process ended.", durations],
    ];
  }
}

/** The newest fleets are shown: every fleet is a query and a set of time series. */
const shownFleets = 50;

type Labels = Readonly<Record<string, string>>;

interface Sample {
  /** Added to the name of the family: `_bucket`. */
  readonly suffix?: string;
  readonly labels: Labels;
  readonly value: number;
}

/** Its name without the prefix, its type, its help text, and its samples. */
type Family = readonly [string, "counter" | "gauge" | "histogram", string, readonly Sample[]];

function fleetFamilies(all: readonly { fleet: Fleet; counts: FleetCounts }[]): readonly Family[] {
  const each = (
    valuesOf: (fleet: Fleet, counts: FleetCounts) => Readonly<Record<string, number>>,
    label: string,
  ) =>
    all.flatMap(({ fleet, counts }) =>
      Object.entries(valuesOf(fleet, counts)).map(([key, value]) => ({
        labels: { fleet: fleet.name, ...(label !== "" && { [label]: key }) },
        value,
      })),
    );
  const waiting = all.reduce((sum, { counts: { states } }) => sum + states.waiting + states.parked, 0);
  const states = each((_, counts) => counts.states, "state");
  const outcomes = each((_, counts) => counts.outcomes, "outcome");
  const spent = each((fleet) => ({ spent: fleet.spent }), "");
  const budgets = each(({ settings: { budget } }) => ({ ...(budget !== null && { budget }) }), "");
  const depth = [{ labels: {}, value: waiting }];
  return [
    ["runs", "gauge", "Runs by state.", states],
    ["outcomes", "gauge", "Ended runs by outcome.", outcomes],
    ["queue_depth", "gauge", "Runs that wait or are parked, in all fleets shown.", depth],
    ["spent_dollars", "gauge", "US dollars of settled requests.", spent],
    ["budget_dollars", "gauge", "US dollars that the fleet may spend.", budgets],
  ];
}

function laneFamilies(lanes: readonly LaneState[], now: number): readonly Family[] {
  const each = (measure: (lane: LaneState) => number) =>
    lanes.map((lane) => ({ labels: { lane: lane.lane }, value: measure(lane) }));
  const inFlight = each((lane) => lane.inFlight);
  const paused = each(({ pausedUntil }) => Math.max(0, pausedUntil - now) / 1000);
  return [
    ["requests_in_flight", "gauge", "Requests to the provider, of all workers.", inFlight],
    ["lane_paused_seconds", "gauge", "Time until requests to the provider are admitted again.", paused],
  ];
}

function workerFamilies(workers: readonly FleetWorker[], now: number): readonly Family[] {
  const each = (measure: (worker: FleetWorker) => number) =>
    workers.map((worker) => ({ labels: { worker: worker.id, host: worker.host }, value: measure(worker) }));
  const ages = each(({ seenAt }) => Math.max(0, now - seenAt) / 1000);
  const draining = each(({ isDraining }) => Number(isDraining));
  return [
    ["worker_heartbeat_age_seconds", "gauge", "Time since the worker was last seen.", ages],
    ["worker_slots", "gauge", "Runs that the worker does at once.", each(({ slots }) => slots)],
    ["worker_draining", "gauge", "1 while the worker takes no more runs.", draining],
  ];
}

class Counter {
  readonly #values = new Map<string, { labels: Labels; value: number }>();

  add(labels: Labels, count = 1): void {
    const key = JSON.stringify(labels);
    const known = this.#values.get(key) ?? { labels, value: 0 };
    known.value += count;
    this.#values.set(key, known);
  }

  get samples(): readonly Sample[] {
    return [...this.#values.values()];
  }
}

const bounds = [5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200];

class Histogram {
  readonly #labels: Labels;
  readonly #counts = bounds.map(() => 0);
  #count = 0;
  #sum = 0;

  constructor(labels: Labels) {
    this.#labels = labels;
  }

  observe(value: number): void {
    this.#count += 1;
    this.#sum += value;
    for (const [at, bound] of bounds.entries()) if (value <= bound) this.#counts[at]! += 1;
  }

  get samples(): readonly Sample[] {
    const labels = this.#labels;
    return [
      ...bounds.map((bound, at) => ({
        suffix: "_bucket",
        labels: { ...labels, le: String(bound) },
        value: this.#counts[at]!,
      })),
      { suffix: "_bucket", labels: { ...labels, le: "+Inf" }, value: this.#count },
      { suffix: "_sum", labels, value: this.#sum },
      { suffix: "_count", labels, value: this.#count },
    ];
  }
}

function renderFamily([plainName, type, help, samples]: Family): string {
  const name = `toolcrib_fleet_${plainName}`;
  const lines = samples.map(({ suffix = "", labels, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
    return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

/** Names of fleets are the user's: no name can end a label or begin a line. */
function escapeLabel(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
