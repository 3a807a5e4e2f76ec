import { Worker } from "node:worker_threads";
import { tooMuchTime } from "../limits.ts";

/**
 * Kills this process when the engine does not stop although its time is over: it asks whether to stop only between
 * operations, and one operation, such as sorting a huge array, can take minutes.
 */
export class Watchdog {
  /** The time in milliseconds at which the engine must have stopped; 0 while it does not run. */
  readonly #deadline = new BigInt64Array(new SharedArrayBuffer(8));

  constructor() {
    const workerData = { deadline: this.#deadline, signal: tooMuchTime };
    new Worker(watch, { eval: true, execArgv: [], workerData }).unref();
  }

  /** Watches from now on, for the time that is left of the program and a little more. */
  start(leftMs: number): void {
    Atomics.store(this.#deadline, 0, BigInt(Date.now() + Math.ceil(leftMs) + graceMs));
  }

  stop(): void {
    Atomics.store(this.#deadline, 0, 0n);
  }
}

const graceMs = 1_000;

const watch = `
  const { deadline, signal } = require("node:worker_threads").workerData;
  setInterval(() => {
    const at = Atomics.load(deadline, 0);
    if (at !== 0n && BigInt(Date.now()) > at) process.kill(process.pid, signal);
  }, 100);
`;
