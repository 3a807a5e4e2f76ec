import type { FleetStore, RunQueue } from "../fleet.ts";
import type { StoreLocation } from "../store/open-fleet-store.ts";
import { type BullOptions, openBullQueue } from "./bull-queue.ts";
import { LocalQueue } from "./local-queue.ts";

/** Opens the queue of a store: in its PostgreSQL database, or in Redis when its address is given; none for SQLite. */
export async function openRunQueue(
  store: FleetStore,
  location: StoreLocation,
  { redis, ...options }: BullOptions & { readonly redis?: string | undefined } = {},
): Promise<RunQueue> {
  if ("file" in location) return new LocalQueue(store);
  return await openBullQueue(redis ?? location.database, store, options);
}
