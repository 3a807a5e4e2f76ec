import { Worker } from "node:worker_threads";
import { Channel, closed, type ServiceOf, tooMuchMemory } from "./channel.ts";

export type Service = object & { readonly close?: () => Promise<void> };

export interface Serving<Asks extends ServiceOf<Asks>> {
  readonly parent: Channel<Asks>;
  /** Asks the parent to start another process for further requests. */
  retire(): void;
}

export interface ServeOptions {
  /**
   * Resident bytes above which the worker retires after its current work: WebAssembly never returns memory. Without a
   * limit it never retires.
   */
  readonly retireAbove?: number;
  /** Resident bytes above which the worker is killed at once. */
  readonly endAbove?: number;
}

/** Runs a worker program: answers its parent process, and ends with it. */
export function serveParent<Asks extends ServiceOf<Asks>>(
  { retireAbove = Number.POSITIVE_INFINITY, endAbove }: ServeOptions,
  open: (serving: Serving<Asks>) => Promise<Service>,
): void {
  endWithParent(endAbove);
  const { promise: service, resolve } = Promise.withResolvers<Service>();
  const retire = () => send("retire");
  const parent = new Channel<Asks>((message) => {
    if (process.memoryUsage.rss() > retireAbove) retire();
    send(message);
  }, service);
  resolve(open({ parent, retire }));

  process.on("message", (message) => parent.receive(message));
  process.on("disconnect", async () => {
    parent.end(closed());
    await (await service).close?.();
    process.exit();
  });
  // Ctrl-C in a terminal reaches this process too; the parent decides what it means.
  process.on("SIGINT", () => {});
}

function send(message: unknown): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

/** Ends this process when its parent has ended or it takes too much memory, even in the middle of its work. */
function endWithParent(mostMemory: number = Number.POSITIVE_INFINITY): void {
  // A thread may start after the parent has ended, so this one finds out who that is.
  const workerData = { parent: process.ppid, mostMemory, tooMuchMemory };
  new Worker(watch, { eval: true, execArgv: [], workerData }).unref();
}

const watch = `
  const { workerData } = require("node:worker_threads");
  const watchParent = () => {
    if (process.ppid !== workerData.parent) process.kill(process.pid, "SIGKILL");
  };
  const watchMemory = () => {
    if (process.memoryUsage.rss() > workerData.mostMemory) process.kill(process.pid, workerData.tooMuchMemory);
  };
  setInterval(watchParent, 1000);
  if (workerData.mostMemory < Infinity) setInterval(watchMemory, 50);
`;
