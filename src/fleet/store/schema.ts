import { ToolError } from "../../contract/error.ts";
import type { Query, SqlDatabase } from "./sql-database.ts";

/**
 * The migrations, oldest first: the version of a schema is how many it has. A migration that was released never changes.
 * Times are milliseconds since 1970; JSON is text.
 */
const migrations: readonly (readonly string[])[] = [
  [
    `CREATE TABLE fleets (
      name TEXT PRIMARY KEY,
      settings TEXT NOT NULL,
      created_at DOUBLE PRECISION NOT NULL,
      spent DOUBLE PRECISION NOT NULL DEFAULT 0
    )`,
    // "delivery" numbers the claims of a run, also of parked and released ones; "deliveries" counts the others.
    `CREATE TABLE runs (
      id TEXT PRIMARY KEY,
      fleet TEXT NOT NULL REFERENCES fleets (name),
      position INTEGER NOT NULL,
      task TEXT NOT NULL,
      spec TEXT NOT NULL,
      created_at DOUBLE PRECISION NOT NULL,
      state TEXT NOT NULL DEFAULT 'waiting',
      delivery INTEGER NOT NULL DEFAULT 0,
      deliveries INTEGER NOT NULL DEFAULT 0,
      worker TEXT,
      machine TEXT,
      session TEXT,
      claimed_at DOUBLE PRECISION,
      not_before DOUBLE PRECISION NOT NULL DEFAULT 0,
      parked_since DOUBLE PRECISION,
      is_cancelled INTEGER NOT NULL DEFAULT 0,
      started_at DOUBLE PRECISION,
      ended_at DOUBLE PRECISION,
      reason TEXT,
      outcome TEXT,
      result TEXT
    )`,
    "CREATE INDEX runs_of_fleet ON runs (fleet, position)",
    "CREATE INDEX runs_ended ON runs (fleet, ended_at) WHERE state = 'ended'",
    "CREATE INDEX runs_open ON runs (created_at, position) WHERE state <> 'ended'",
    "CREATE INDEX runs_of_worker ON runs (worker) WHERE state = 'running'",
    `CREATE TABLE workers (
      id TEXT PRIMARY KEY,
      machine TEXT NOT NULL,
      host TEXT NOT NULL,
      pid INTEGER NOT NULL,
      started_at DOUBLE PRECISION NOT NULL,
      seen_at DOUBLE PRECISION NOT NULL,
      slots INTEGER NOT NULL,
      is_draining INTEGER NOT NULL,
      is_gone INTEGER NOT NULL DEFAULT 0
    )`,
    "CREATE INDEX workers_of_machine ON workers (machine)",
    // Requests to models that are not answered yet.
    `CREATE TABLE requests (
      id TEXT PRIMARY KEY,
      run TEXT NOT NULL,
      fleet TEXT NOT NULL,
      worker TEXT NOT NULL,
      lane TEXT NOT NULL,
      tokens DOUBLE PRECISION NOT NULL,
      cost DOUBLE PRECISION NOT NULL
    )`,
    "CREATE INDEX requests_of_run ON requests (run)",
    // "used" is the level of a leaky bucket of tokens at the time "used_at".
    `CREATE TABLE lanes (
      lane TEXT PRIMARY KEY,
      used DOUBLE PRECISION NOT NULL DEFAULT 0,
      used_at DOUBLE PRECISION NOT NULL DEFAULT 0,
      paused_until DOUBLE PRECISION NOT NULL DEFAULT 0
    )`,
  ],
  [
    // Not a column of runs: who submits may not change runs that have a result.
    `CREATE TABLE superseded (
      run TEXT PRIMARY KEY,
      fleet TEXT NOT NULL
    )`,
  ],
];

/** Creates the tables, or brings those of an older version up to date. Users of a current schema need no right to change it. */
export async function migrate(database: SqlDatabase): Promise<void> {
  const known = await versionOf(database.query).catch(() => 0);
  if (known > migrations.length) throw tooNew(known);
  if (known === migrations.length) return;
  await database.transaction(async (query) => {
    for (const statement of database.dialect.prepareSchema) await query(statement);
    await query("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)");
    const version = await versionOf(query);
    for (const migration of migrations.slice(version))
      for (const statement of migration) await query(statement);
    await query("DELETE FROM schema_version");
    await query("INSERT INTO schema_version (version) VALUES ($1)", [migrations.length]);
  });
}

async function versionOf(query: Query): Promise<number> {
  const [row] = await query<{ version: number }>("SELECT version FROM schema_version");
  return row?.version ?? 0;
}

function tooNew(version: number): ToolError {
  return new ToolError(
    "unsupported",
    `The database of the fleet has version ${version}; this Toolcrib knows version ${migrations.length}.`,
    { hint: "Update Toolcrib: npm install --global toolcrib@latest" },
  );
}
