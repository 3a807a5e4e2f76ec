import { join } from "node:path";
import { expect, it } from "vitest";
import { resultWith, settingsWith, specOf, workerOf } from "../../../test/support/fleet/examples.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { FleetStore } from "../fleet.ts";
import { openFleetStore } from "../store/open-fleet-store.ts";
import { LocalQueue } from "./local-queue.ts";

it("delivers every run once, at most as many at once as there are slots", async () => {
  await using folder = temporaryFolder();
  await using store = await openFleetStore({ file: join(folder.path, "fleet.sqlite") });
  await store.heartbeat(workerOf("worker-1"), []);
  const queue = new LocalQueue(store);
  const worked: string[] = [];
  let atOnce = 0;
  let most = 0;
  const deliveries = await queue.deliver(3, async (id) => {
    most = Math.max(most, ++atOnce);
    worked.push(id);
    const again = await workOn(store, id);
    atOnce -= 1;
    return again;
  });
  const specs = Array.from({ length: 20 }, (_, index) => specOf(`task ${index}`));
  const { added } = await store.submit("nightly", settingsWith(), specs);
  await queue.add(added);
  await expect.poll(() => store.counts("nightly")).toMatchObject({ states: { ended: 20 } });
  await deliveries.stop();
  expect(worked.toSorted()).toEqual(added.toSorted());
  expect(most).toBeLessThanOrEqual(3);
});

it("delivers a run again when its work fails, and after the time that the work returns", {
  tags: "slow",
}, async () => {
  await using folder = temporaryFolder();
  await using store = await openFleetStore({ file: join(folder.path, "fleet.sqlite") });
  await store.heartbeat(workerOf("worker-1"), []);
  const queue = new LocalQueue(store);
  await store.submit("nightly", settingsWith(), [specOf("one")]);
  let tries = 0;
  const deliveries = await queue.deliver(2, async (id) => {
    tries += 1;
    if (tries === 1) throw new Error("The database restarts.");
    if (tries === 2) return Date.now() + 1;
    return await workOn(store, id);
  });
  await expect.poll(() => store.counts("nightly")).toMatchObject({ states: { ended: 1 } });
  await deliveries.stop();
  expect(tries).toBe(3);
});

it("waits for the work that has begun when it stops", async () => {
  await using folder = temporaryFolder();
  await using store = await openFleetStore({ file: join(folder.path, "fleet.sqlite") });
  await store.heartbeat(workerOf("worker-1"), []);
  const queue = new LocalQueue(store);
  await store.submit("nightly", settingsWith(), [specOf("one"), specOf("two")]);
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const deliveries = await queue.deliver(1, async (id) => {
    begun.resolve();
    await released.promise;
    return await workOn(store, id);
  });
  await begun.promise;
  const stopped = deliveries.stop();
  released.resolve();
  await stopped;
  expect(await store.counts("nightly")).toMatchObject({ states: { ended: 1, waiting: 1 } });
});

async function workOn(store: FleetStore, id: string): Promise<number | undefined> {
  const answer = await store.claim(id, "worker-1");
  if (!answer.claimed) return answer.again;
  await store.end(answer.claim, "solved", "", resultWith(id));
  return undefined;
}

it("delivers only the runs of its fleet", async () => {
  await using folder = temporaryFolder();
  await using store = await openFleetStore({ file: join(folder.path, "fleet.sqlite") });
  await store.submit("other", settingsWith(), [specOf("a", { fleet: "other" })]);
  const { added } = await store.submit("nightly", settingsWith(), [specOf("a"), specOf("b")]);
  const queue = new LocalQueue(store, { fleet: "nightly" });
  const delivered = new Set<string>();
  const both = Promise.withResolvers<void>();
  const deliveries = await queue.deliver(3, async (run) => {
    delivered.add(run);
    if (delivered.size === 2) both.resolve();
    return Date.now() + 60_000;
  });
  await both.promise;
  await deliveries.stop();
  expect([...delivered].sort()).toEqual([...added].sort());
});
