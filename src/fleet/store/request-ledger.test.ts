import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { settingsWith, specOf, workerOf } from "../../../test/support/fleet/examples.ts";
import { startPostgres } from "../../../test/support/fleet/postgres.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { Admission } from "../fleet.ts";
import { openPostgresDatabase } from "./postgres-database.ts";
import { migrate } from "./schema.ts";
import type { Query, SqlDatabase } from "./sql-database.ts";
import { SqlFleetStore } from "./sql-fleet-store.ts";
import { openSqliteDatabase } from "./sqlite-database.ts";

describe("many requests at once", () => {
  it("never exceed the limits, and are settled exactly (SQLite)", async () => {
    await using folder = temporaryFolder();
    await requestAtOnce(openSqliteDatabase(join(folder.path, "fleet.sqlite")));
  });

  it("never exceed the limits, and are settled exactly, with few statements (PostgreSQL)", {
    tags: "slow",
  }, async () => {
    await using postgres = await startPostgres();
    const database = new CountedDatabase(await openPostgresDatabase(await postgres.newDatabase(), 10_000));
    const { admit, settle } = await requestAtOnce(database);
    // Without BEGIN and COMMIT, which only the admission needs.
    const rest = { query: 0, transaction: 0, inTransaction: 0 };
    expect([await database.count(admit), await database.count(settle)]).toEqual([
      { ...rest, transaction: 1, inTransaction: 2 },
      { ...rest, query: 1 },
    ]);
    await database.close();
  });
});

/** Returns functions that admit another request, and settle it. */
async function requestAtOnce(database: SqlDatabase) {
  await migrate(database);
  const store = new SqlFleetStore(database, { leaseMs: 30_000, adoptAfterMs: 60_000 });
  await store.heartbeat(workerOf("worker-1"), []);
  const specs = ["one", "two", "three"].map((task) => specOf(task));
  const lanes = { anthropic: { concurrency: 6, tokensPerMinute: 1e9 } };
  const { added } = await store.submit("nightly", settingsWith({ budget: 4, lanes }), specs);
  for (const run of added) await store.claim(run, "worker-1");
  const admit = (index: number) => {
    const estimate = { fleet: "nightly", worker: "worker-1", lane: "anthropic", tokens: 100, cost: 0.5 };
    return store.admit({ run: added[index % added.length]!, ...estimate });
  };
  const admitMany = async () => idsOf(await Promise.all(Array.from({ length: 24 }, (_, i) => admit(i))));
  const settle = (request: string) => store.settle(request, { tokens: 90, cost: 0.5 });
  const spent = async () => (await store.fleet("nightly"))!.spent;
  const first = await admitMany();
  // Twice each: an answer may be lost.
  await Promise.all([...first, ...first].map(settle));
  expect([first.length, await spent()]).toEqual([6, 3]);
  const second = await admitMany();
  await settle(second[0]!);
  expect([second.length, await spent()]).toEqual([2, 3.5]);
  const open = idsOf([await admit(0)]);
  expect(open).toEqual([]);
  // An answer that cost nothing leaves money for another request.
  await store.settle(second[1]!, { tokens: 0, cost: 0 });
  let last = "";
  return {
    admit: async () => {
      last = idsOf([await admit(0)])[0]!;
    },
    settle: () => settle(last),
  };
}

function idsOf(admissions: readonly Admission[]): string[] {
  return admissions.flatMap((each) => (each.admitted ? [each.request] : []));
}

/** Counts what is sent to a database. */
class CountedDatabase implements SqlDatabase {
  readonly #database: SqlDatabase;
  #counts = { query: 0, transaction: 0, inTransaction: 0 };

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  get dialect() {
    return this.#database.dialect;
  }

  async count(act: () => Promise<void>): Promise<unknown> {
    this.#counts = { query: 0, transaction: 0, inTransaction: 0 };
    await act();
    return this.#counts;
  }

  readonly query: Query = (sql, values) => {
    this.#counts.query += 1;
    return this.#database.query(sql, values);
  };

  transaction<Result>(act: (query: Query) => Promise<Result>): Promise<Result> {
    this.#counts.transaction += 1;
    return this.#database.transaction((query) =>
      act((sql, values) => {
        this.#counts.inTransaction += 1;
        return query(sql, values);
      }),
    );
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
