/**
 * Measures the parts of the database that `simulate.ts` needs: node bench/fleet/measure-store.ts
 * SQLite in one process, and a PostgreSQL of the tests with 1 and 8 callers at once.
 */
import { join } from "node:path";
import type { Claim, FleetStore } from "../../src/fleet/fleet.ts";
import { openFleetStore, type StoreLocation } from "../../src/fleet/store/open-fleet-store.ts";
import { resultWith, settingsWith, specOf, workerOf } from "../../test/support/fleet/examples.ts";
import { startPostgres } from "../../test/support/fleet/postgres.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";

const runs = 800;
const requestsPerRun = 4;

await using folder = temporaryFolder();
await using postgres = await startPostgres();
const stores: Record<string, readonly [StoreLocation, number]> = {
  "SQLite, 1 caller": [{ file: join(folder.path, "one.sqlite") }, 1],
  "PostgreSQL, 1 caller": [{ database: await postgres.newDatabase() }, 1],
  "PostgreSQL, 8 callers": [{ database: await postgres.newDatabase() }, 8],
};
for (const [name, [location, callers]] of Object.entries(stores)) await measure(name, location, callers);

async function measure(name: string, location: StoreLocation, callers: number): Promise<void> {
  await using store = await openFleetStore(location);
  const specs = Array.from({ length: runs }, (_, index) => specOf(`task ${index}`));
  const lanes = { anthropic: { concurrency: 1_000, tokensPerMinute: 1e12 } };
  const submitted = performance.now();
  const { added } = await store.submit("nightly", settingsWith({ budget: 1e9, lanes }), specs);
  const submitMs = (performance.now() - submitted) / runs;
  await store.heartbeat(workerOf("worker-1"), []);
  const times: Record<string, number[]> = { claim: [], admit: [], settle: [], end: [] };
  const begun = performance.now();
  const left = [...added];
  const caller = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) await oneRun(store, id, times);
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const seconds = (performance.now() - begun) / 1000;
  const cells = Object.entries(times).map(([part, all]) => {
    const sorted = all.sort((one, other) => one - other);
    const at = (share: number) => sorted[Math.floor(sorted.length * share)]!.toFixed(2);
    return `${part} ${at(0.5)} ms (95 %: ${at(0.95)})`;
  });
  const perSecond = Math.round((runs * (2 + 2 * requestsPerRun)) / seconds);
  console.log(`${name}: submit ${submitMs.toFixed(2)} ms, ${cells.join(", ")}; ${perSecond} transactions/s`);
}

async function oneRun(store: FleetStore, id: string, times: Record<string, number[]>): Promise<void> {
  const timed = async <Result>(part: string, work: () => Promise<Result>): Promise<Result> => {
    const begun = performance.now();
    const result = await work();
    times[part]!.push(performance.now() - begun);
    return result;
  };
  const claimed = await timed("claim", () => store.claim(id, "worker-1"));
  if (!claimed.claimed) throw new Error("The run was not claimed.");
  const claim: Claim = claimed.claim;
  for (let request = 0; request < requestsPerRun; request += 1) {
    const estimate = {
      run: id,
      fleet: "nightly",
      worker: "worker-1",
      lane: "anthropic",
      tokens: 100,
      cost: 0.001,
    };
    const admitted = await timed("admit", () => store.admit(estimate));
    if (!admitted.admitted) throw new Error(`The request was not admitted: ${admitted.why}`);
    await timed("settle", () => store.settle(admitted.request, { tokens: 90, cost: 0.001 }));
  }
  await timed("end", () => store.end(claim, "solved", "The check passed.", resultWith("done")));
}
