import { readdirSync, readFileSync } from "node:fs";

export function childProcesses(): readonly number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && statOf(pid)[1] === String(process.pid));
}

/** The children of this process, their children, and so on, except `others` and their descendants. */
export function descendantProcesses(others: readonly number[] = []): readonly number[] {
  const parents = new Map(
    readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 0)
      .map((pid) => [pid, Number(statOf(pid)[1])]),
  );
  const isOurs = (pid: number | undefined): boolean =>
    pid !== undefined &&
    !others.includes(pid) &&
    (parents.get(pid) === process.pid || isOurs(parents.get(pid)));
  return [...parents.keys()].filter(isOurs);
}

export function secondsOfWork(pid: number): number {
  return Number(statOf(pid)[11] ?? 0) / 100;
}

export function wordsOf(pid: number): readonly string[] {
  return read(pid, "cmdline").split("\0");
}

function statOf(pid: number): readonly string[] {
  return read(pid, "stat").split(") ").at(-1)!.split(" ");
}

/** Empty for a process that has ended. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
