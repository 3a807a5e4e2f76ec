import type { Fleet, Run } from "../../../src/fleet/fleet.ts";
import { settingsWith, specOf } from "./examples.ts";

/** A run that waits. */
export function runWith(change: Partial<Run> = {}): Run {
  return {
    id: "run_0123456789abcdef",
    fleet: "nightly",
    spec: specOf("parser-7"),
    state: "waiting",
    deliveries: 0,
    worker: null,
    machine: null,
    session: null,
    notBefore: 0,
    parkedSince: null,
    isCancelled: false,
    isSuperseded: false,
    createdAt: 0,
    startedAt: null,
    endedAt: null,
    reason: null,
    outcome: null,
    result: null,
    ...change,
  };
}

export function fleetWith(change: Partial<Fleet> = {}): Fleet {
  return { name: "nightly", settings: settingsWith({ budget: 20 }), createdAt: 0, spent: 0, ...change };
}
