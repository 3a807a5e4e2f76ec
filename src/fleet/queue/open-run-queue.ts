import type { FleetStore, RunQueue } from "../fleet.ts";
import type { StoreLocation } from "../store/open-fleet-store.ts";
import { type BullOptions, openBullQueue } from "./bull-queue.ts";
import { LocalQueue } from "./local-queue.ts";

/** Opens the queue of a store: in its PostgreSQL database; a SQLite file needs no service. */
export async function openRunQueue(
  store: FleetStore,
  location: StoreLocation,
  options: BullOptions = {},
): Promise<RunQueue> {
  if ("file" in location) return new LocalQueue(store);
  return await openBullQueue(location.database, store, options);
}
