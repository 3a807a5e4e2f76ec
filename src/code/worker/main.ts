import { type ServeOptions, type Serving, serveParent } from "../../workers/serve-parent.ts";
import type { WorkerRole } from "./code-worker.ts";
import type { IndexerCallbacks } from "./index-service.ts";

type Service = (serving: Serving<IndexerCallbacks>, ...args: string[]) => Promise<object>;

const services: Record<WorkerRole, Service> = {
  reader: async ({ retire }) => (await import("./reader-service.ts")).readerService(retire),
  builder: async ({ retire }) => (await import("../index/build/build-service.ts")).buildService(retire),
  indexer: async ({ parent }, indexed) =>
    (await import("./index-service.ts")).indexerService(JSON.parse(indexed!), parent),
};

/** Builders work for long in the background, so they are replaced early. One hostile file may not fill the memory. */
const limits: Record<WorkerRole, ServeOptions> = {
  reader: { retireAbove: 1_000_000_000 },
  builder: { retireAbove: 400_000_000, endAbove: 1_500_000_000 },
  // It parses nothing. Its memory is what the files of the workspace need, and its successor would need as much.
  indexer: {},
};

const [role, ...args] = process.argv.slice(2) as [WorkerRole, ...string[]];
serveParent<IndexerCallbacks>(limits[role], (serving) => services[role](serving, ...args));
