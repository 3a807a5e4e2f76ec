import type { FleetSettings, FleetWorker, RunResult, RunSpec } from "../../../src/fleet/fleet.ts";

export function settingsWith(change: Partial<FleetSettings> = {}): FleetSettings {
  return { budget: null, lanes: {}, deliveries: 3, parkedHours: 24, ...change };
}

export function specOf(task: string, change: Partial<RunSpec> = {}): RunSpec {
  return {
    fleet: "nightly",
    task,
    model: "anthropic/claude-sonnet-5",
    reasoning: null,
    prompt: `Solve ${task}.`,
    repository: null,
    revision: null,
    setup: null,
    check: null,
    target: "local",
    mode: "cautious",
    rules: [],
    limits: { rounds: 20, minutes: 10, dollars: null },
    keepWorkspace: "never",
    publish: null,
    data: {},
    ...change,
  };
}

export function workerOf(id: string, machine = "machine-1"): Omit<FleetWorker, "seenAt"> {
  return { id, machine, host: "localhost", pid: process.pid, startedAt: 1, slots: 4, isDraining: false };
}

export function resultWith(text: string): RunResult {
  return {
    text,
    rounds: 1,
    calls: 0,
    usage: { input: 10, cached: 0, cacheWritten: 0, output: 5, reasoning: 0 },
    cost: 0.01,
    workMs: 1_000,
    base: null,
    patch: null,
    check: null,
    artifacts: null,
    artifactNames: [],
  };
}
