import { existsSync } from "node:fs";
import { join } from "node:path";
import type { OpenFleets } from "../../console/server/fleets.ts";

/** Opens the fleets of a database, or those of this machine: undefined when it has none. */
export async function openFleets(
  database: string | undefined,
  stateDirectory: string,
): Promise<OpenFleets | undefined> {
  const file = join(stateDirectory, "fleet", "fleet.sqlite");
  if (database === undefined && !existsSync(file)) return undefined;
  const { openFleetStore } = await import("../../fleet/store/open-fleet-store.ts");
  // A page that waits for a database should soon say so.
  const store = await openFleetStore(database === undefined ? { file } : { database }, { retryMs: 5_000 });
  return { store, close: () => store.close() };
}
