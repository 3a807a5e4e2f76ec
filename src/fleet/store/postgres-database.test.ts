/** @module-tag slow */
import { afterAll, beforeAll, expect, it } from "vitest";
import { settingsWith, specOf } from "../../../test/support/fleet/examples.ts";
import { freePort } from "../../../test/support/fleet/free-port.ts";
import { asUser, runSql, startPostgres, type TestPostgres } from "../../../test/support/fleet/postgres.ts";
import { openFleetStore } from "./open-fleet-store.ts";

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres[Symbol.asyncDispose]());

it("waits for a database that restarts, and fails clearly when it stays away", async () => {
  const database = await postgres.newDatabase();
  await using store = await openFleetStore({ database });
  await using impatient = await openFleetStore({ database }, { retryMs: 100 });
  await store.submit("nightly", settingsWith(), [specOf("one")]);
  await postgres.crash();
  const unavailable = {
    code: "unavailable",
    message: expect.stringMatching(/^The database of the fleet is not available: ./),
    details: { kind: "database-unavailable" },
  };
  await expect(impatient.fleets()).rejects.toMatchObject(unavailable);
  await expect(openFleetStore({ database }, { retryMs: 100 })).rejects.toMatchObject(unavailable);
  const waiting = Promise.all([
    store.counts("nightly"),
    store.submit("nightly", settingsWith(), [specOf("two")]),
  ]);
  await postgres.start();
  const [, { added, known }] = await waiting;
  expect([added.length, known]).toEqual([1, 0]);
  expect(await impatient.counts("nightly")).toMatchObject({ states: { waiting: 2 } });
});

it("refuses tables of a newer Toolcrib", async () => {
  const database = await postgres.newDatabase();
  await (await openFleetStore({ database })).close();
  await runSql(database, "UPDATE toolcrib_fleet.schema_version SET version = 99");
  await expect(openFleetStore({ database })).rejects.toMatchObject({ code: "unsupported" });
});

it("creates its tables once when several workers start at once", async () => {
  const database = await postgres.newDatabase();
  const stores = await Promise.all([1, 2, 3, 4].map(() => openFleetStore({ database })));
  expect(await stores[0]!.fleets()).toEqual([]);
  await Promise.all(stores.map((store) => store.close()));
});

it("names a wrong user or database at once", async () => {
  const database = await postgres.newDatabase();
  for (const wrong of [`${database}_missing`, asUser(database, "stranger")])
    await expect(openFleetStore({ database: wrong }, { onWait: expect.unreachable })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/does not exist/),
      hint: expect.stringContaining("--database postgres://user@host/database"),
    });
});

it("reports once that it waits for a server", async () => {
  const waits: string[] = [];
  const database = `postgres://user@127.0.0.1:${await freePort()}/fleet`;
  const opening = openFleetStore({ database }, { retryMs: 3_000, onWait: (reason) => waits.push(reason) });
  await expect(opening).rejects.toMatchObject({ code: "unavailable" });
  expect(waits).toEqual([expect.stringContaining("ECONNREFUSED")]);
});
