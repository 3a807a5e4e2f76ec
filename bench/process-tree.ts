import { readdirSync, readFileSync } from "node:fs";

/**
 * Returns the processor time of a process, of its ended children, and of the running ones. The kernel counts in steps
 * of 10 ms.
 */
export function cpuMsOf(pid: number): number {
  return sum(treeOf(pid).map((each) => ticksOf(each, 11, 15))) * 10;
}

/** Returns the processor time of the threads of a process that still run, exactly: by the scheduler's own clock. */
export function cpuNsOf(pid: number): number {
  return sum(threadsOf(pid).map((thread) => Number(read(pid, `task/${thread}/schedstat`).split(" ")[0])));
}

/** Returns the current or highest memory of a process and its children; `RssAnon` is without files, which they may share. */
export function residentMbOf(pid: number, measure: "VmRSS" | "VmHWM" | "RssAnon"): number {
  const line = new RegExp(`${measure}:\\s+(\\d+)`);
  return sum(treeOf(pid).map((each) => Number(line.exec(read(each, "status"))?.[1] ?? 0))) / 1024;
}

/** Sums these fields of /proc/PID/stat after the name; 0 for a process that has ended. */
export function ticksOf(pid: string | number, from: number, to: number): number {
  const fields = read(pid, "stat").split(") ").at(-1)!.split(" ");
  return sum(fields.slice(from, to).map(Number));
}

/** Includes the children of all threads. */
export function childrenOf(pid: string | number): readonly string[] {
  return threadsOf(pid).flatMap((thread) => {
    const children = read(pid, `task/${thread}/children`).trim();
    return children === "" ? [] : children.split(" ");
  });
}

export function treeOf(pid: string | number): readonly (string | number)[] {
  return [pid, ...childrenOf(pid).flatMap(treeOf)];
}

function threadsOf(pid: string | number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function read(pid: string | number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
