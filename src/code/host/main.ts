/** The program of a host: answers the process that started it, and ends with it. */
import { Channel } from "./channel.ts";
import { endWithParent } from "./end-with-parent.ts";
import { closed } from "./failures.ts";
import type { HostRole } from "./host.ts";
import type { IndexerAsks } from "./indexing.ts";

type Service = object & { readonly close?: () => Promise<void> };

const services: Record<HostRole, (...words: string[]) => Promise<Service>> = {
  reader: async () => (await import("./reading.ts")).readingService(retire),
  builder: async () => (await import("../index/build-service.ts")).buildService(retire),
  indexer: async (workspace, directory) => {
    const { indexingService } = await import("./indexing.ts");
    return indexingService({ workspace: workspace!, directory: directory!, runtime: channel });
  },
};

endWithParent();
const [role, ...words] = process.argv.slice(2);
const { promise: service, resolve } = Promise.withResolvers<Service>();
const channel = new Channel<IndexerAsks>((message) => {
  if (process.memoryUsage.rss() > mostMemory) retire();
  send(message);
}, service);
resolve(services[role as HostRole](...words));

process.on("message", (message) => channel.receive(message));
process.on("disconnect", async () => {
  channel.end(closed());
  await (await service).close?.();
  process.exit();
});
// Ctrl-C in a terminal reaches us too; whoever started us decides what it means.
process.on("SIGINT", () => {});

/** WebAssembly never gives memory back. */
const mostMemory = 1_000_000_000;

/** Asks to be asked no more: another process is started in place of this one. */
function retire(): void {
  send("retire");
}

function send(message: unknown): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
