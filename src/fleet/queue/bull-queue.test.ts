/** @module-tag slow */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundledProgram } from "../../../test/support/bundled-program.ts";
import { resultWith, settingsWith, specOf, workerOf } from "../../../test/support/fleet/examples.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/fleet/postgres.ts";
import type { FleetStore, RunQueue } from "../fleet.ts";
import { openFleetStore, type StoreOptions } from "../store/open-fleet-store.ts";
import { type BullOptions, openBullQueue } from "./bull-queue.ts";

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.[Symbol.asyncDispose]());

describe("a queue on PostgreSQL", () => {
  it("delivers every run once, and a run again after it was retried", async () => {
    await using parts = await open();
    const { store, queue } = parts;
    const runs = await submit(store, queue, 12);
    await queue.add(runs);
    const worked: string[] = [];
    const deliveries = await queue.deliver(5, async (run) => {
      worked.push(run);
      return await workOn(store, run);
    });
    await expect.poll(() => ended(store)).toBe(12);
    expect(worked.toSorted()).toEqual(runs.toSorted());

    await store.retry({ fleet: "nightly", tasks: ["task 1"] });
    // The first job may not be removed yet.
    await expect
      .poll(async () => {
        await queue.add([runs[1]!]);
        return await ended(store);
      })
      .toBe(12);
    await deliveries.stop();
    expect(worked.filter((run) => run === runs[1]).length).toBeGreaterThan(1);
  });

  it("delivers a run again when its work fails, and after the time that the work returns", async () => {
    const errors: Error[] = [];
    await using parts = await open({ onError: (error) => errors.push(error) });
    const { store, queue } = parts;
    await submit(store, queue, 1);
    let tries = 0;
    const deliveries = await queue.deliver(2, async (run) => {
      tries += 1;
      if (tries === 1) throw new Error("The disk is full.");
      if (tries === 2) return Date.now() + 0.5;
      return await workOn(store, run);
    });
    await expect.poll(() => ended(store)).toBe(1);
    await deliveries.stop();
    expect(tries).toBe(3);
    expect(errors).toEqual([]);
  });

  it("queues runs again that it has lost, and runs that wait for an old time", async () => {
    await using parts = await open({ sweepMs: 200 });
    const { store, queue } = parts;
    await submit(store, queue, 1);
    // This run was never queued.
    await store.submit("nightly", settingsWith(), [specOf("lost")]);
    const delayed = Promise.withResolvers<void>();
    const first = await queue.deliver(1, async () => {
      delayed.resolve();
      return Date.now() + 3_600_000;
    });
    await delayed.promise;
    await first.stop();
    const deliveries = await queue.deliver(2, (run) => workOn(store, run));
    await expect.poll(() => ended(store)).toBe(2);
    await deliveries.stop();
  });

  it("delivers the run of a killed worker to another one", async () => {
    await using parts = await open({ lockMs: 1_000 }, { leaseMs: 1_000 });
    const { store, queue, database } = parts;
    const [run] = await submit(store, queue, 1);
    const worker = spawn(process.execPath, [hangingProgram, database], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(createInterface({ input: worker.stdout }), "line");
    expect(line).toBe(run);
    worker.kill("SIGKILL");
    await once(worker, "close");
    const deliveries = await queue.deliver(1, (id) => workOn(store, id));
    await expect.poll(() => ended(store)).toBe(1);
    await deliveries.stop();
    expect(await store.run(run!)).toMatchObject({ deliveries: 2, worker: "worker-1", outcome: "solved" });
  });

  it("waits for the work that has begun when it stops", async () => {
    await using parts = await open();
    const { store, queue } = parts;
    await submit(store, queue, 2);
    const begun = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const deliveries = await queue.deliver(1, async (run) => {
      begun.resolve();
      await released.promise;
      return await workOn(store, run);
    });
    await begun.promise;
    const stopped = deliveries.stop();
    released.resolve();
    await stopped;
    expect(await ended(store)).toBe(1);
  });

  it("continues after the database restarts, with every result once", async () => {
    const count = 12;
    await using parts = await open({ lockMs: 2_000, sweepMs: 1_000 });
    const { store, queue } = parts;
    await submit(store, queue, count);
    const counted: string[] = [];
    const deliveries = await queue.deliver(4, async (run) => {
      const answer = await store.claim(run, "worker-1");
      if (!answer.claimed) return answer.again;
      await new Promise((resolve) => setTimeout(resolve, 50));
      if (await store.end(answer.claim, "solved", "", resultWith(run))) counted.push(run);
      return undefined;
    });
    await expect.poll(() => ended(store)).toBeGreaterThan(5);
    await postgres.crash();
    await postgres.start();
    // Claims whose answers were lost.
    await store.heartbeat(workerOf("worker-1"), []);
    await expect.poll(() => ended(store)).toBe(count);
    await deliveries.stop();
    expect(new Set(counted).size).toBe(counted.length);
  });
});

async function open(options: BullOptions = {}, lease: StoreOptions = {}) {
  const database = await postgres.emptyDatabase();
  const store = await openFleetStore({ database }, lease);
  const queue = await openBullQueue(database, store, options);
  await store.heartbeat(workerOf("worker-1"), []);
  const close = async () => {
    await queue.close();
    await store.close();
  };
  return { database, store, queue, [Symbol.asyncDispose]: close };
}

async function submit(store: FleetStore, queue: RunQueue, count: number): Promise<readonly string[]> {
  const specs = Array.from({ length: count }, (_, index) => specOf(`task ${index}`));
  const { added } = await store.submit("nightly", settingsWith(), specs);
  await queue.add(added);
  return added;
}

async function workOn(store: FleetStore, run: string): Promise<number | undefined> {
  const answer = await store.claim(run, "worker-1");
  if (!answer.claimed) return answer.again;
  await store.end(answer.claim, "solved", "", resultWith(run));
  return undefined;
}

async function ended(store: FleetStore): Promise<number> {
  return (await store.counts("nightly")).states.ended;
}

const hangingProgram = await bundledProgram(
  new URL("../../../test/support/fleet/hanging-program.ts", import.meta.url),
);
