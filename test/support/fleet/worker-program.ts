/**
 * A worker without a model: claims runs, asks for money for each of their requests, and ends them. Prints a line for each run
 * that it ended, and ends when all runs have. Arguments: the location as JSON, the id of the worker, the lease.
 */
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Claim, FleetStore } from "../../../src/fleet/fleet.ts";
import { openFleetStore } from "../../../src/fleet/store/open-fleet-store.ts";
import { resultWith, workerOf } from "./examples.ts";

const [location, id, lease] = process.argv.slice(2);
const store = await openFleetStore(JSON.parse(location!), { leaseMs: Number(lease) });
const claims = new Set<Claim>();
await store.heartbeat(workerOf(id!), []);
const heartbeats = setInterval(() => void store.heartbeat(workerOf(id!), [...claims]), Number(lease) / 10);
await Promise.all(Array.from({ length: 4 }, () => workOnAll()));
clearInterval(heartbeats);
await store.close();

async function workOnAll(): Promise<void> {
  while ((await openRuns(store)) > 0) {
    const ready = await store.ready(10);
    const run = ready[Math.floor(Math.random() * ready.length)];
    if (run === undefined) await sleep(20);
    else await workOn(run);
  }
}

async function workOn(run: string): Promise<void> {
  const answer = await store.claim(run, id!);
  if (!answer.claimed) return;
  const { claim } = answer;
  claims.add(claim);
  const outcome = (await spend(claim)) && (await spend(claim)) ? "solved" : "budget";
  const isEnded = await store.end(claim, outcome, "", resultWith(`${id} ${claim.delivery}`));
  claims.delete(claim);
  if (isEnded) writeSync(1, `${JSON.stringify(claim)}\n`);
}

/** Makes a request that costs at most 10 cents. False when the money is used up, or the run is lost. */
async function spend({ run }: Claim): Promise<boolean> {
  for (;;) {
    const estimate = { run, fleet: "nightly", worker: id!, lane: "anthropic", tokens: 100, cost: 0.1 };
    const admission = await store.admit(estimate);
    if (admission.admitted) {
      await sleep(Math.random() * 20);
      await store.settle(admission.request, { tokens: 50, cost: 0.1 * Math.random() });
      return true;
    }
    if (admission.why !== "wait") return false;
    await sleep(admission.waitMs / 10);
  }
}

async function openRuns(from: FleetStore): Promise<number> {
  const { waiting, running, parked } = (await from.counts("nightly")).states;
  return waiting + running + parked;
}
