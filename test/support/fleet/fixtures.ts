import type { Fleet, FleetWorker, Run, RunResult, RunSpec } from "../../../src/fleet/fleet.ts";

/** Made-up fleets, runs and workers. Each test says only what it is about. */

export function specFixture(given: Partial<RunSpec> = {}): RunSpec {
  return {
    fleet: "nightly",
    task: "parser-7",
    model: "anthropic/claude-sonnet-5",
    reasoning: null,
    prompt: "Fix the parser.",
    repository: null,
    revision: null,
    setup: null,
    check: null,
    target: "local",
    mode: "cautious",
    rules: [],
    limits: { rounds: 50, minutes: 30, dollars: null },
    keepWorkspace: "never",
    publish: null,
    data: {},
    ...given,
  };
}

export function runFixture(given: Partial<Run> = {}): Run {
  return {
    id: "run_0123456789abcdef",
    fleet: given.spec?.fleet ?? "nightly",
    spec: specFixture(),
    state: "waiting",
    deliveries: 0,
    worker: null,
    machine: null,
    session: null,
    notBefore: 0,
    parkedSince: null,
    isCancelled: false,
    createdAt: 0,
    startedAt: null,
    endedAt: null,
    reason: null,
    outcome: null,
    result: null,
    ...given,
  };
}

export function resultFixture(given: Partial<RunResult> = {}): RunResult {
  return {
    text: "Done.",
    rounds: 3,
    calls: 5,
    usage: { input: 1_000, cached: 0, cacheWritten: 0, output: 100, reasoning: 0 },
    cost: 0.01,
    workMs: 60_000,
    patch: null,
    check: null,
    artifacts: null,
    artifactNames: [],
    branch: null,
    ...given,
  };
}

export function fleetFixture(given: Partial<Fleet> = {}): Fleet {
  const settings = { budget: 20, lanes: {}, deliveries: 5, parkedHours: 12 };
  return { name: "nightly", settings, createdAt: 0, spent: 0, ...given };
}

export function workerFixture(given: Partial<FleetWorker> = {}): FleetWorker {
  return {
    id: "worker_1",
    machine: "machine_1",
    host: "host-1",
    pid: 4711,
    startedAt: 0,
    seenAt: 0,
    slots: 8,
    isDraining: false,
    ...given,
  };
}
