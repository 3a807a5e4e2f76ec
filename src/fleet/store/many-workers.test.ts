import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { bundledProgram } from "../../../test/support/bundled-program.ts";
import { settingsWith, specOf } from "../../../test/support/fleet/examples.ts";
import { startPostgres } from "../../../test/support/fleet/postgres.ts";
import { rounds } from "../../../test/support/rounds.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { Claim } from "../fleet.ts";
import { openFleetStore, type StoreLocation } from "./open-fleet-store.ts";

/** A worker is killed whenever so many more runs have ended. */
const killEvery = 12;

const slow = { tags: "slow" } as const;

describe("many workers", () => {
  it("end every run once within the budget, although one is killed (SQLite)", async () => {
    await using folder = temporaryFolder();
    await workThrough({ file: join(folder.path, "fleet.sqlite") }, { count: 8, leaseMs: 200 });
  });

  it("end every run once within the budget, although some are killed (SQLite)", slow, async () => {
    await using folder = temporaryFolder();
    await workThrough({ file: join(folder.path, "fleet.sqlite") }, { count: rounds(16), leaseMs: 3_000 });
  });

  it(
    "end every run once within the budget, although some are killed and the server crashes (PostgreSQL)",
    slow,
    async () => {
      await using postgres = await startPostgres();
      const disturb = async () => {
        await postgres.crash();
        await postgres.start();
      };
      const location = { database: await postgres.newDatabase() };
      await workThrough(location, { count: rounds(16), leaseMs: 3_000, disturb });
    },
  );
});

interface Work {
  /** The number of runs. */
  readonly count: number;
  readonly leaseMs: number;
  /** Called after each kill. */
  readonly disturb?: () => Promise<void>;
}

async function workThrough(location: StoreLocation, { count, leaseMs, disturb }: Work): Promise<void> {
  await using store = await openFleetStore(location);
  // About half of the runs can be paid: a run costs 10 cents on average.
  const budget = count / 20;
  const specs = Array.from({ length: count }, (_, index) => specOf(`task ${index}`));
  const lanes = { anthropic: { concurrency: 8, tokensPerMinute: null } };
  await store.submit("nightly", settingsWith({ budget, lanes }), specs);
  const ends: Claim[] = [];
  await using workers = new Workers(location, leaseMs, (claim) => ends.push(claim));
  workers.start(2);
  for (let reached = 2; reached < count; reached += killEvery) {
    await expect.poll(() => ends.length, { interval: 5 }).toBeGreaterThan(reached);
    workers.kill();
    workers.start(1);
    await disturb?.();
  }
  await workers.ended();

  const runs = await store.runs({ fleet: "nightly" });
  expect(runs.map(({ state, outcome }) => [state, outcome === "solved" || outcome === "budget"])).toEqual(
    specs.map(() => ["ended", true]),
  );
  // A killed worker may have ended a run without printing it; no run has two ends.
  expect(new Set(ends.map(({ run }) => run)).size).toBe(ends.length);
  for (const { run, worker, delivery } of ends)
    expect(runs.find(({ id }) => id === run)).toMatchObject({
      worker,
      result: { text: `${worker} ${delivery}` },
    });
  const spent = (await store.fleet("nightly"))!.spent;
  expect(spent).toBeGreaterThan(budget - 0.2);
  expect(spent).toBeLessThanOrEqual(budget + 0.1 + 1e-9);
  expect(await store.lanes()).toEqual([{ lane: "anthropic", inFlight: 0, pausedUntil: 0 }]);
}

class Workers {
  readonly #location: StoreLocation;
  readonly #leaseMs: number;
  readonly #onEnd: (claim: Claim) => void;
  readonly #processes: ChildProcess[] = [];
  readonly #exits: Promise<unknown>[] = [];
  #killed = 0;

  constructor(location: StoreLocation, leaseMs: number, onEnd: (claim: Claim) => void) {
    this.#location = location;
    this.#leaseMs = leaseMs;
    this.#onEnd = onEnd;
  }

  start(number: number): void {
    for (let started = 0; started < number; started += 1) {
      const args = [
        program,
        JSON.stringify(this.#location),
        `worker-${this.#processes.length}`,
        String(this.#leaseMs),
      ];
      const worker = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      createInterface({ input: worker.stdout! }).on("line", (line) => this.#onEnd(JSON.parse(line)));
      const { promise, resolve } = Promise.withResolvers<unknown>();
      worker.once("close", (code, signal) => resolve(signal ?? code));
      this.#processes.push(worker);
      this.#exits.push(promise);
    }
  }

  /** Kills the worker that has worked longest. */
  kill(): void {
    this.#processes[this.#killed++]!.kill("SIGKILL");
  }

  async ended(): Promise<void> {
    const exits = await Promise.all(this.#exits);
    expect(exits).toEqual(exits.map((_, index) => (index < this.#killed ? "SIGKILL" : 0)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const worker of this.#processes) worker.kill("SIGKILL");
    await Promise.all(this.#exits);
  }
}

const program = await bundledProgram(
  new URL("../../../test/support/fleet/worker-program.ts", import.meta.url),
);
