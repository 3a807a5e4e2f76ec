import { existsSync, readFileSync } from "node:fs";

/** Whether a process runs. A zombie does not. */
export function isAlive(pid: number): boolean {
  if (existsSync("/proc/self")) {
    const path = `/proc/${pid}/stat`;
    return existsSync(path) && !/\) Z /.test(readFileSync(path, "latin1"));
  }
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
