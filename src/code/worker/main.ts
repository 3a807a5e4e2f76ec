import { type Serving, serveParent } from "../../workers/serve-parent.ts";
import type { WorkerRole } from "./code-worker.ts";
import type { IndexerCallbacks } from "./index-service.ts";

type Service = (serving: Serving<IndexerCallbacks>, ...args: string[]) => Promise<object>;

const services: Record<WorkerRole, Service> = {
  reader: async ({ retire }) => (await import("./reader-service.ts")).readerService(retire),
  builder: async ({ retire }) => (await import("../index/build/build-service.ts")).buildService(retire),
  indexer: async ({ parent }, workspace, directory) =>
    (await import("./index-service.ts")).indexerService(workspace!, directory!, parent),
};

const [role, ...args] = process.argv.slice(2);
serveParent<IndexerCallbacks>({ retireAbove: 1_000_000_000 }, (serving) =>
  services[role as WorkerRole](serving, ...args),
);
