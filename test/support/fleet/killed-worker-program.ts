/**
 * A worker process. Arguments: JSON with the folder of a fixture, the options of the worker, and the time that runs may
 * take to stop. Prints "ready" when it works. SIGTERM drains it.
 */
import { writeSync } from "node:fs";
import { join } from "node:path";
import { openArtifactStore } from "../../../src/fleet/artifacts/artifact-store.ts";
import { LocalQueue } from "../../../src/fleet/queue/local-queue.ts";
import { openFleetStore } from "../../../src/fleet/store/open-fleet-store.ts";
import { startWorker } from "../../../src/fleet/work/worker.ts";

const { folder, options, leases, graceMs } = JSON.parse(process.argv[2]!);
const store = await openFleetStore({ file: join(folder, "fleet.sqlite") }, leases);
const queue = new LocalQueue(store);
const artifacts = await openArtifactStore(join(folder, "artifacts"));
const worker = await startWorker({ ...options, store, queue, artifacts });
// The first signal drains it, the second stops it at once.
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void worker.stop({ graceMs }));
writeSync(1, "ready\n");
