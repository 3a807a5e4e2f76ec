/**
 * Simulates a fleet as discrete events: queue, database, limits of a provider, and workers that die. Try it:
 *   node bench/fleet/simulate.ts --runs-per-day 100000 --workers 100 --tokens-per-minute 30000000
 * Every random number depends on the seed and on what it is for, so that two simulations differ only in their parameters.
 */
import { parseArgs } from "node:util";

export interface Fleet {
  readonly runsPerDay: number;
  /** The simulated time. The report counts what happened in it. */
  readonly hours: number;
  readonly workers: number;
  readonly slots: number;
  /** Of a run: rounds, and in each the seconds of the model, of the tools, and the tokens. */
  readonly rounds: number;
  readonly modelSeconds: number;
  readonly toolSeconds: number;
  readonly tokens: number;
  /** US dollars for a million tokens. */
  readonly price: number;
  /** CPU of a worker's process for a run, and the cores of a worker. Commands of runs are not counted. */
  readonly cpuSeconds: number;
  readonly cores: number;
  /** Of the provider, for the whole fleet. */
  readonly concurrency: number;
  readonly tokensPerMinute: number;
  /** Milliseconds of the database for a claim or an end, and for an admission with its settlement; and its parallel transactions. */
  readonly runMs: number;
  readonly requestMs: number;
  readonly connections: number;
  /** Mean hours between two deaths of a worker. Its runs resume after the lease, and repeat the request that was open. */
  readonly hoursToFailure: number;
  readonly leaseSeconds: number;
  readonly seed: number;
}

/** The times of the database (PostgreSQL, one caller) and the CPU of a run are measured: see docs/scale.md. */
const standard: Fleet = {
  ...{ runsPerDay: 1_000, hours: 2, workers: 4, slots: 8, rounds: 20, modelSeconds: 8, toolSeconds: 3 },
  ...{ tokens: 25_000, price: 1, cpuSeconds: 0.6, cores: 2, concurrency: 1_000, tokensPerMinute: 4_000_000 },
  ...{ runMs: 1.4, requestMs: 2.1, connections: 1, hoursToFailure: 200, leaseSeconds: 30, seed: 1 },
};

export interface Report {
  readonly submitted: number;
  readonly ended: number;
  readonly running: number;
  readonly waiting: number;
  readonly redelivered: number;
  readonly requests: number;
  readonly dollars: number;
  /** Seconds in the queue of runs that began. */
  readonly wait: { readonly median: number; readonly most: number };
  /** Shares of what could be used, 0 to 1. */
  readonly use: Readonly<Record<"slots" | "tokens" | "concurrency" | "database" | "cpu", number>>;
  /** What is used most. */
  readonly bottleneck: string;
}

interface RunState {
  readonly index: number;
  readonly submittedAt: number;
  round: number;
  delivery: number;
  worker: number;
  /** When its worker took it. */
  since: number;
}

/** Times are seconds. */
class Simulation {
  readonly #fleet: Fleet;
  readonly #events = new EventHeap();
  readonly #queue: RunState[] = [];
  #queueStart = 0;
  readonly #idle: number[];
  readonly #runsOf: Set<RunState>[];
  readonly #database: Servers;
  #inFlight = 0;
  readonly #admissions: { run: RunState; delivery: number }[] = [];
  #admissionStart = 0;
  #tokensLeft: number;
  #tokensAt = 0;
  #isRefillPlanned = false;
  #now = 0;
  readonly #counts = { submitted: 0, ended: 0, redelivered: 0, requests: 0, tokens: 0 };
  readonly #waits: number[] = [];
  readonly #busy = { slots: 0, requests: 0, cpu: 0 };

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
    this.#idle = Array.from({ length: fleet.workers }, () => fleet.slots);
    this.#runsOf = this.#idle.map(() => new Set());
    this.#database = new Servers(fleet.connections);
    this.#tokensLeft = fleet.tokensPerMinute / 60;
  }

  run(): Report {
    const { hours, workers } = this.#fleet;
    const end = hours * 3600;
    this.#at(0, () => this.#submit(0));
    for (let worker = 0; worker < workers; worker += 1) this.#planFailure(worker, 0);
    for (;;) {
      const event = this.#events.take();
      if (event === undefined || event.at > end) break;
      this.#now = event.at;
      event.act();
    }
    return this.#report(end);
  }

  #at(at: number, act: () => void): void {
    this.#events.add({ at, act });
  }

  #random(...key: readonly number[]): number {
    let hash = this.#fleet.seed | 0;
    for (const part of key) {
      hash = Math.imul(hash ^ part, 0x9e3779b1);
      hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
      hash ^= hash >>> 13;
    }
    return ((hash >>> 0) + 0.5) / 2 ** 32;
  }

  /** Exponential: short ones are usual, a few are long. */
  #about(mean: number, ...key: readonly number[]): number {
    return -mean * Math.log(this.#random(...key));
  }

  #submit(index: number): void {
    this.#counts.submitted += 1;
    this.#queue.push({ index, submittedAt: this.#now, round: 0, delivery: 0, worker: -1, since: 0 });
    this.#at(this.#now + this.#about(86_400 / this.#fleet.runsPerDay, 1, index), () =>
      this.#submit(index + 1),
    );
    this.#deliver();
  }

  #deliver(): void {
    while (this.#queueStart < this.#queue.length) {
      const worker = this.#idle.findIndex((slots) => slots > 0);
      if (worker < 0) return;
      const run = this.#queue[this.#queueStart++]!;
      this.#idle[worker]! -= 1;
      this.#runsOf[worker]!.add(run);
      run.worker = worker;
      run.since = this.#now;
      run.delivery += 1;
      if (run.delivery === 1) this.#waits.push(this.#now - run.submittedAt);
      const { delivery } = run;
      this.#at(this.#database.take(this.#now, this.#fleet.runMs / 1000), () => this.#ask(run, delivery));
    }
  }

  /** Begins a round: the request waits for its tokens and its turn. */
  #ask(run: RunState, delivery: number): void {
    if (run.delivery !== delivery || run.worker < 0) return;
    this.#admissions.push({ run, delivery });
    this.#admit();
  }

  #admit(): void {
    const { concurrency, tokensPerMinute, requestMs } = this.#fleet;
    const perSecond = tokensPerMinute / 60;
    // A minute of tokens may be saved up, or one large request.
    const most = Math.max(tokensPerMinute, this.#fleet.tokens);
    this.#tokensLeft = Math.min(most, this.#tokensLeft + (this.#now - this.#tokensAt) * perSecond);
    this.#tokensAt = this.#now;
    while (this.#admissionStart < this.#admissions.length && this.#inFlight < concurrency) {
      const { run, delivery } = this.#admissions[this.#admissionStart]!;
      if (run.delivery === delivery && run.worker >= 0) {
        if (this.#tokensLeft < this.#fleet.tokens) {
          this.#planRefill(perSecond);
          return;
        }
        this.#tokensLeft -= this.#fleet.tokens;
        this.#counts.tokens += this.#fleet.tokens;
        this.#counts.requests += 1;
        this.#inFlight += 1;
        const begun = this.#database.take(this.#now, requestMs / 1000);
        const length = this.#about(this.#fleet.modelSeconds, 2, run.index, run.round, delivery);
        this.#busy.requests += length;
        this.#at(begun + length, () => this.#answered(run, delivery));
      }
      this.#admissionStart += 1;
    }
  }

  #planRefill(perSecond: number): void {
    if (this.#isRefillPlanned) return;
    this.#isRefillPlanned = true;
    const missing = this.#fleet.tokens - this.#tokensLeft;
    this.#at(this.#now + Math.max(0.001, missing / perSecond), () => {
      this.#isRefillPlanned = false;
      this.#admit();
    });
  }

  #answered(run: RunState, delivery: number): void {
    this.#inFlight -= 1;
    this.#admit();
    if (run.delivery !== delivery || run.worker < 0) return;
    const { rounds, toolSeconds, cpuSeconds } = this.#fleet;
    const cpu = cpuSeconds / rounds;
    this.#busy.cpu += cpu;
    const length = this.#about(toolSeconds, 3, run.index, run.round) + cpu;
    this.#at(this.#now + length, () => {
      if (run.delivery !== delivery || run.worker < 0) return;
      run.round += 1;
      if (run.round < rounds) this.#ask(run, delivery);
      else this.#at(this.#database.take(this.#now, this.#fleet.runMs / 1000), () => this.#end(run, delivery));
    });
  }

  #end(run: RunState, delivery: number): void {
    if (run.delivery !== delivery || run.worker < 0) return;
    this.#counts.ended += 1;
    this.#leave(run);
    this.#deliver();
  }

  #leave(run: RunState): void {
    this.#runsOf[run.worker]!.delete(run);
    this.#idle[run.worker]! += 1;
    this.#busy.slots += this.#now - run.since;
    run.worker = -1;
  }

  #planFailure(worker: number, times: number): void {
    const at = this.#now + this.#about(this.#fleet.hoursToFailure * 3600, 4, worker, times);
    this.#at(at, () => {
      for (const run of [...this.#runsOf[worker]!]) {
        this.#leave(run);
        this.#counts.redelivered += 1;
        this.#at(this.#now + this.#fleet.leaseSeconds, () => {
          this.#queue.push(run);
          this.#deliver();
        });
      }
      this.#planFailure(worker, times + 1);
      this.#deliver();
    });
  }

  #report(end: number): Report {
    const { workers, slots, concurrency, tokensPerMinute, connections, cores, price } = this.#fleet;
    const { submitted, ended, redelivered, requests, tokens } = this.#counts;
    const held = this.#runsOf.flatMap((runs) => [...runs]);
    const running = held.length;
    const inSlots = held.reduce((sum, { since }) => sum + end - since, this.#busy.slots);
    const use = {
      slots: inSlots / (workers * slots * end),
      tokens: tokens / ((tokensPerMinute / 60) * end),
      concurrency: this.#busy.requests / (concurrency * end),
      // Jobs that still wait at the end were counted, too.
      database: Math.min(1, this.#database.busy / (connections * end)),
      cpu: this.#busy.cpu / (workers * cores * end),
    };
    const sorted = this.#waits.sort((one, other) => one - other);
    const [bottleneck] = Object.entries(use).reduce((most, one) => (one[1] > most[1] ? one : most));
    return {
      ...{
        submitted,
        ended,
        running,
        waiting: submitted - ended - running,
        redelivered,
        requests,
        use,
        bottleneck,
      },
      dollars: (tokens / 1e6) * price,
      wait: { median: sorted[sorted.length >> 1] ?? 0, most: sorted.at(-1) ?? 0 },
    };
  }
}

export function simulate(change: Partial<Fleet> = {}): Report {
  return new Simulation({ ...standard, ...change }).run();
}

/** Servers that take turns: the one that is free first takes the next job. */
class Servers {
  busy = 0;
  readonly #freeAt: number[];

  constructor(count: number) {
    this.#freeAt = Array.from({ length: count }, () => 0);
  }

  /** Returns when a job that arrives now is done. */
  take(now: number, seconds: number): number {
    const first = this.#freeAt.indexOf(Math.min(...this.#freeAt));
    this.busy += seconds;
    this.#freeAt[first] = Math.max(now, this.#freeAt[first]!) + seconds;
    return this.#freeAt[first];
  }
}

interface Event {
  readonly at: number;
  readonly act: () => void;
}

/** A binary heap: the earliest event is on top. */
class EventHeap {
  readonly #events: Event[] = [];

  add(event: Event): void {
    let at = this.#events.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#events[parent]!.at <= event.at) break;
      this.#events[at] = this.#events[parent]!;
      at = parent;
    }
    this.#events[at] = event;
  }

  take(): Event | undefined {
    const [first] = this.#events;
    const last = this.#events.pop();
    if (last === undefined || this.#events.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#events.length) break;
      const right = this.#events[child + 1];
      if (right !== undefined && right.at < this.#events[child]!.at) child += 1;
      if (this.#events[child]!.at >= last.at) break;
      this.#events[at] = this.#events[child]!;
      at = child;
    }
    this.#events[at] = last;
    return first;
  }
}

if (import.meta.main) {
  const named = Object.keys(standard).map((name) => [
    name,
    name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  ]);
  const options = Object.fromEntries(named.map(([, option]) => [option!, { type: "string" as const }]));
  const { values } = parseArgs({ options });
  const change = named.flatMap(([name, option]) =>
    values[option!] === undefined ? [] : [[name!, Number(values[option!])]],
  );
  console.log(
    JSON.stringify(
      simulate(Object.fromEntries(change)),
      (_, value) => (typeof value === "number" ? Number(value.toPrecision(4)) : value),
      2,
    ),
  );
}
