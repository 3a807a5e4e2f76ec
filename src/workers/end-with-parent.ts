import { Worker } from "node:worker_threads";
import { tooMuchMemory } from "./too-much-memory.ts";

/**
 * Ends this process when the one that started it is gone, or when it takes too much memory: in the middle of its work
 * nothing else would tell it.
 */
export function endWithParent(mostMemory: number = Number.POSITIVE_INFINITY): void {
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
