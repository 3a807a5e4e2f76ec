import { existsSync } from "node:fs";
import { join } from "node:path";
import type { OpenFleets } from "../../console/server/fleets.ts";
import { databaseOf, fleetFolder } from "../fleet/open-store.ts";
import { workFolderOf } from "../fleet/run-files.ts";

/** Opens the fleets of a database, or those of this machine: undefined when it has none. */
export async function openFleets(options: ReadonlyMap<string, string>): Promise<OpenFleets | undefined> {
  const database = databaseOf(options);
  const file = join(fleetFolder(), "fleet.sqlite");
  if (database === undefined && !existsSync(file)) return undefined;
  const location = database === undefined ? { file } : { database };
  const { openFleetStore } = await import("../../fleet/store/open-fleet-store.ts");
  // A page that waits for a database should soon say so.
  const store = await openFleetStore(location, { retryMs: 5_000 });
  return {
    store,
    workFolder: workFolderOf(new Map()),
    enqueue: async (runs) => {
      const { openRunQueue } = await import("../../fleet/queue/open-run-queue.ts");
      const queue = await openRunQueue(store, location);
      await queue.add(runs).finally(() => queue.close());
    },
    close: () => store.close(),
  };
}
