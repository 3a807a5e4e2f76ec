import { type Serving, serveStarter } from "../../workers/serve-starter.ts";
import type { WorkerRole } from "./code-worker.ts";
import type { IndexerCallbacks } from "./index-service.ts";

type Service = (serving: Serving<IndexerCallbacks>, ...words: string[]) => Promise<object>;

const services: Record<WorkerRole, Service> = {
  reader: async ({ retire }) => (await import("./reader-service.ts")).readerService(retire),
  builder: async ({ retire }) => (await import("../index/build/build-service.ts")).buildService(retire),
  indexer: async ({ starter }, workspace, directory) => {
    const { indexerService } = await import("./index-service.ts");
    return indexerService({ workspace: workspace!, directory: directory!, runtime: starter });
  },
};

const [role, ...words] = process.argv.slice(2);
serveStarter<IndexerCallbacks>({ retireAbove: 1_000_000_000 }, (serving) =>
  services[role as WorkerRole](serving, ...words),
);
