/** A worker that claims one run, prints it and never ends it. Argument: the address of the database. */
import { openBullQueue } from "../../../src/fleet/queue/bull-queue.ts";
import { openFleetStore } from "../../../src/fleet/store/open-fleet-store.ts";
import { workerOf } from "./examples.ts";

const [database = ""] = process.argv.slice(2);
const store = await openFleetStore({ database });
const queue = await openBullQueue(database, store, { lockMs: 1_000 });
await store.heartbeat(workerOf("worker-hanging"), []);
await queue.deliver(1, async (run) => {
  await store.claim(run, "worker-hanging");
  console.log(run);
  return await new Promise<never>(() => {});
});
