/** The program of the hosts that read code. */
import { type Serving, serveStarter } from "../../workers/serve-starter.ts";
import type { HostRole } from "./code-worker.ts";
import type { IndexerAsks } from "./index-service.ts";

type Service = (serving: Serving<IndexerAsks>, ...words: string[]) => Promise<object>;

const services: Record<HostRole, Service> = {
  reader: async ({ retire }) => (await import("./reader-service.ts")).readingService(retire),
  builder: async ({ retire }) => (await import("../index/build/build-service.ts")).buildService(retire),
  indexer: async ({ starter }, workspace, directory) => {
    const { indexingService } = await import("./index-service.ts");
    return indexingService({ workspace: workspace!, directory: directory!, runtime: starter });
  },
};

const [role, ...words] = process.argv.slice(2);
serveStarter<IndexerAsks>({ retireAbove: 1_000_000_000 }, (serving) =>
  services[role as HostRole](serving, ...words),
);
