import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultWith, settingsWith, specOf, workerOf } from "../../../test/support/fleet/examples.ts";
import { runSql, startPostgres, type TestPostgres } from "../../../test/support/fleet/postgres.ts";
import type { FleetStore, RunQueue } from "../fleet.ts";
import { openFleetStore } from "../store/open-fleet-store.ts";
import { type BullOptions, openBullQueue } from "./bull-queue.ts";

let postgres: TestPostgres | undefined;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.[Symbol.asyncDispose]());

describe("a queue on PostgreSQL", () => {
  it("delivers every run once, and a run again after it was retried", async () => {
    await using parts = await open();
    const { store, queue } = parts;
    const runs = await submit(store, queue, 30);
    await queue.add(runs);
    expect(await queue.depth()).toBe(30);
    const worked: string[] = [];
    const deliveries = await queue.deliver(5, async (run) => {
      worked.push(run);
      return await workOn(store, run);
    });
    await expect.poll(() => ended(store)).toBe(30);
    expect(worked.toSorted()).toEqual(runs.toSorted());

    await store.retry({ fleet: "nightly", tasks: ["task 1"] });
    // The first job may not be removed yet.
    await expect
      .poll(async () => {
        await queue.add([runs[1]!]);
        return await ended(store);
      })
      .toBe(30);
    await deliveries.stop();
    expect(worked.filter((run) => run === runs[1]).length).toBeGreaterThan(1);
    expect(await queue.depth()).toBe(0);
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
    const { store, queue, database } = parts;
    const runs = await submit(store, queue, 3);
    await queue.add(runs);
    let isFirst = true;
    const first = await queue.deliver(1, async () => {
      if (!isFirst) return Date.now();
      isFirst = false;
      return Date.now() + 3_600_000;
    });
    await expect
      .poll(() => runSql(database, "SELECT id FROM bullmq.job WHERE state = 'delayed'"))
      .toHaveLength(1);
    await first.stop();
    await runSql(database, "DELETE FROM bullmq.job WHERE state <> 'delayed'");
    const deliveries = await queue.deliver(2, (run) => workOn(store, run));
    await expect.poll(() => ended(store)).toBe(3);
    await deliveries.stop();
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
    expect(await queue.depth()).toBe(1);
  });

  it("continues after the database restarts, with every result once", async () => {
    await using parts = await open({ lockMs: 2_000, sweepMs: 1_000 });
    const { store, queue } = parts;
    await submit(store, queue, 40);
    const counted: string[] = [];
    const deliveries = await queue.deliver(4, async (run) => {
      const answer = await store.claim(run, "worker-1");
      if (!answer.claimed) return answer.again;
      await new Promise((resolve) => setTimeout(resolve, 50));
      if (await store.end(answer.claim, "solved", "", resultWith(run))) counted.push(run);
      return undefined;
    });
    for (const done of [5, 15, 25]) {
      await expect.poll(() => ended(store)).toBeGreaterThan(done);
      await postgres!.crash();
      await postgres!.start();
      // Claims whose answers were lost.
      await store.heartbeat(workerOf("worker-1"), []);
    }
    await expect.poll(() => ended(store), { timeout: 120_000 }).toBe(40);
    await deliveries.stop();
    expect(new Set(counted).size).toBe(counted.length);
  });
});

async function open(options: BullOptions = {}) {
  const database = await postgres!.newDatabase();
  const store = await openFleetStore({ database });
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
