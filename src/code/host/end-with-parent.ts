import { Worker } from "node:worker_threads";

/** Ends this process when the one that started it is gone: in the middle of a parse nothing else would tell it. */
export function endWithParent(): void {
  new Worker(watch, { eval: true, execArgv: [] }).unref();
}

const watch = `
  const { ppid } = process;
  setInterval(() => {
    if (process.ppid !== ppid) process.kill(process.pid, "SIGKILL");
  }, 1000);
`;
