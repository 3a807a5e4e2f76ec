import type { FleetStore, RunQueue } from "../../fleet/fleet.ts";
import { LocalQueue } from "../../fleet/queue/local-queue.ts";
import { openRunQueue } from "../../fleet/queue/open-run-queue.ts";
import { remarkWarnings } from "../report.ts";
import { databaseOf } from "./open-store.ts";

/** Opens the queue of a command line: in the database, or the store of this machine itself. */
export async function openQueue(
  options: ReadonlyMap<string, string>,
  store: FleetStore,
  fleet?: string,
): Promise<RunQueue> {
  const database = databaseOf(options);
  if (database === undefined) return new LocalQueue(store, { fleet });
  return openRunQueue(store, { database }, { onError: warnRarely() });
}

/** BullMQ recovers by itself, and reports the same error many times a second until then. */
function warnRarely(): (error: Error) => void {
  let nextAt = 0;
  return (error) => {
    if (Date.now() < nextAt) return;
    nextAt = Date.now() + quietMs;
    remarkWarnings([`The queue failed, and is tried again: ${error.message || error.name}`]);
  };
}

const quietMs = 10_000;
