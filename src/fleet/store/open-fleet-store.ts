import type { FleetStore } from "../fleet.ts";
import { openPostgresDatabase } from "./postgres-database.ts";
import { migrate } from "./schema.ts";
import type { SqlDatabase } from "./sql-database.ts";
import { type LeaseOptions, SqlFleetStore } from "./sql-fleet-store.ts";
import { openSqliteDatabase } from "./sqlite-database.ts";

/** The SQLite file of one machine, or the address of a PostgreSQL database: `postgres://…`. */
export type StoreLocation = { readonly file: string } | { readonly database: string };

export interface StoreOptions extends Partial<LeaseOptions> {
  /** How long a call waits for a database that cannot be reached, before it fails. Default: 60 s. */
  readonly retryMs?: number | undefined;
  /** Called once for each outage when calls begin to wait, with the error of the database. */
  readonly onWait?: ((reason: string) => void) | undefined;
}

/** Opens the state of all fleets, and creates or updates its tables. */
export async function openFleetStore(
  location: StoreLocation,
  options: StoreOptions = {},
): Promise<FleetStore> {
  const { leaseMs = 30_000, adoptAfterMs = 10 * 60_000, retryMs = 60_000 } = options;
  const database = await openDatabase(location, retryMs, options.onWait);
  try {
    await migrate(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return new SqlFleetStore(database, { leaseMs, adoptAfterMs });
}

async function openDatabase(
  location: StoreLocation,
  retryMs: number,
  onWait: StoreOptions["onWait"],
): Promise<SqlDatabase> {
  return "file" in location
    ? openSqliteDatabase(location.file)
    : await openPostgresDatabase(location.database, retryMs, onWait);
}
