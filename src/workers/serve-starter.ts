import { Worker } from "node:worker_threads";
import { Channel, closed, type ServiceOf, tooMuchMemory } from "./channel.ts";

export type Service = object & { readonly close?: () => Promise<void> };

export interface Serving<Asks extends ServiceOf<Asks>> {
  /** What may be asked of whoever started us. */
  readonly starter: Channel<Asks>;
  /** Asks to be asked no more: another process is started in place of this one. */
  retire(): void;
}

export interface ServeOptions {
  /** Resident bytes above which it retires when its work is done: WebAssembly, for one, never gives memory back. */
  readonly retireAbove: number;
  /** Resident bytes above which it is ended in the middle of its work. */
  readonly endAbove?: number;
}

/** The life of a host program: answers the process that started it, and ends with it. */
export function serveStarter<Asks extends ServiceOf<Asks>>(
  { retireAbove, endAbove }: ServeOptions,
  open: (serving: Serving<Asks>) => Promise<Service>,
): void {
  endWithParent(endAbove);
  const { promise: service, resolve } = Promise.withResolvers<Service>();
  const retire = () => send("retire");
  const starter = new Channel<Asks>((message) => {
    if (process.memoryUsage.rss() > retireAbove) retire();
    send(message);
  }, service);
  resolve(open({ starter, retire }));

  process.on("message", (message) => starter.receive(message));
  process.on("disconnect", async () => {
    starter.end(closed());
    await (await service).close?.();
    process.exit();
  });
  // Ctrl-C in a terminal reaches us too; whoever started us decides what it means.
  process.on("SIGINT", () => {});
}

function send(message: unknown): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

/**
 * Ends this process when the one that started it is gone, or when it takes too much memory: in the middle of its work
 * nothing else would tell it.
 */
function endWithParent(mostMemory: number = Number.POSITIVE_INFINITY): void {
  new Worker(watch, { eval: true, execArgv: [], workerData: { mostMemory, tooMuchMemory } }).unref();
}

const watch = `
  const { workerData } = require("node:worker_threads");
  const { ppid } = process;
  const watchParent = () => {
    if (process.ppid !== ppid) process.kill(process.pid, "SIGKILL");
  };
  const watchMemory = () => {
    if (process.memoryUsage.rss() > workerData.mostMemory) process.kill(process.pid, workerData.tooMuchMemory);
  };
  setInterval(watchParent, 1000);
  if (workerData.mostMemory < Infinity) setInterval(watchMemory, 50);
`;
