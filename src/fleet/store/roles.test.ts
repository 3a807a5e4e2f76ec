/** @module-tag slow */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { resultWith, settingsWith, specOf, workerOf } from "../../../test/support/fleet/examples.ts";
import { asUser, runSql, startPostgres } from "../../../test/support/fleet/postgres.ts";
import { openBullQueue } from "../queue/bull-queue.ts";
import { openFleetStore } from "./open-fleet-store.ts";

const roles = readFileSync(new URL("../../../docs/fleet-roles.sql", import.meta.url), "utf8");

it("lets submitters submit and workers work, and refuses everything else", async () => {
  await using postgres = await startPostgres();
  const database = await postgres.newDatabase();
  await using ownerStore = await openFleetStore({ database });
  await using _ownerQueue = await openBullQueue(database, ownerStore);
  // The file may run again after an update.
  await runSql(database, roles);
  await runSql(database, roles);
  await runSql(
    database,
    "CREATE USER ci IN ROLE toolcrib_submitter; CREATE USER box IN ROLE toolcrib_worker",
  );
  const ci = asUser(database, "ci");
  const box = asUser(database, "box");

  await using submitter = await openFleetStore({ database: ci });
  await using submitterQueue = await openBullQueue(ci, submitter);
  const { added } = await submitter.submit("nightly", settingsWith({ budget: 9 }), [
    specOf("one"),
    specOf("two"),
  ]);
  await submitterQueue.add(added);

  await using worker = await openFleetStore({ database: box });
  await using workerQueue = await openBullQueue(box, worker);
  await worker.heartbeat(workerOf("worker-1"), []);
  const deliveries = await workerQueue.deliver(2, async (run) => {
    const answer = await worker.claim(run, "worker-1");
    if (!answer.claimed) return answer.again;
    await worker.setSession(answer.claim, "session_1");
    const admission = await worker.admit({ ...request, run });
    if (admission.admitted) await worker.settle(admission.request, { tokens: 5, cost: 0.1 });
    await worker.pauseLane("openai", 1);
    await worker.end(answer.claim, "solved", "", resultWith(run));
    return undefined;
  });
  await expect.poll(() => submitter.counts("nightly")).toMatchObject({ outcomes: { solved: 2 }, cost: 0.2 });
  await deliveries.stop();
  await worker.removeWorker("worker-1");
  expect(await submitter.retry({ fleet: "nightly", tasks: ["one"] })).toEqual([added[0]]);
  expect(await submitter.cancel({ fleet: "nightly" })).toEqual([added[0]]);

  const edited = { ...specOf("two"), prompt: "Better." };
  expect(await submitter.submit("nightly", settingsWith(), [edited])).toMatchObject({
    superseded: [added[1]],
  });

  const refused = async (address: string, sql: string) =>
    await runSql(address, `SET search_path = toolcrib_fleet; ${sql}`).then(
      () => `allowed: ${sql}`,
      (error) => error.message,
    );
  const solve = "UPDATE runs SET state = 'ended', outcome = 'solved'";
  expect(await refused(ci, solve)).toContain("row-level security");
  expect(await refused(ci, "UPDATE runs SET result = '{}'")).toContain("row-level security");
  expect(await refused(ci, "UPDATE runs SET spec = '{}'")).toContain("permission denied");
  expect(await refused(ci, "INSERT INTO workers VALUES ('w', 'm', 'h', 1, 1, 1, 1, 0)")).toContain(
    "permission denied",
  );
  expect(await refused(ci, "DELETE FROM runs")).toContain("permission denied");
  expect(await refused(box, "DELETE FROM runs")).toContain("permission denied");
  expect(await refused(box, "UPDATE runs SET spec = '{}'")).toContain("permission denied");
  expect(await refused(box, "UPDATE runs SET is_cancelled = 0")).toContain("permission denied");
  expect(await refused(box, "UPDATE fleets SET settings = '{}'")).toContain("permission denied");
  expect(await refused(box, "DROP TABLE runs")).toContain("must be owner");
  await expect(worker.submit("nightly", settingsWith(), [specOf("three")])).rejects.toThrow(
    "permission denied",
  );
});

const request = { fleet: "nightly", worker: "worker-1", lane: "anthropic", tokens: 10, cost: 0.1 };
