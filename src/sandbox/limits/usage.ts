import { readFile } from "node:fs/promises";
import { type ProcessInfo, readSystemFile } from "../../system/process-identity.ts";

/** The usage of a command with all its processes. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  /** The number of processes, including threads and ended processes that were not awaited. */
  readonly processes: number;
}

/** Measures the processes `members` of a command among `all` of the machine. The memory is exact only above `enough`. */
export async function usageOf(
  members: readonly ProcessInfo[],
  all: readonly ProcessInfo[],
  enough: number,
): Promise<Usage> {
  const parents = new Set(members.map(({ pid }) => pid));
  const unawaited = all.filter(({ isOver, parent }) => isOver && parents.has(parent));
  const atMost = sum(members.map(({ residentPages }) => residentPages * pageBytes()));
  return {
    cpuSeconds: sum(members.map(({ cpuTicks }) => cpuTicks)) / ticksPerSecond,
    memoryBytes: atMost <= enough ? atMost : sum(await Promise.all(members.map(proportionalBytes))),
    processes: sum(members.map(({ threads }) => threads)) + unawaited.length,
  };
}

// This is the unit of /proc, independent of the kernel's own unit.
const ticksPerSecond = 100;

/** Counts shared pages in parts, because workers forked from one large process share most pages. */
async function proportionalBytes({ pid }: ProcessInfo): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, "latin1").catch(() => "");
  const [, kilobytes] = /^Pss: +(\d+) kB$/m.exec(text) ?? [];
  return kilobytes === undefined ? unsharedBytes(pid) : Number(kilobytes) * 1024;
}

/** Returns the memory without file pages of a process that cannot be inspected; 0 when it has ended. */
function unsharedBytes(pid: number): number {
  const [, resident = 0, shared = 0] = readSystemFile(`/proc/${pid}/statm`).split(" ").map(Number);
  return (resident - shared) * pageBytes();
}

/** Returns how many programs the kernel has killed since boot because memory ran out. */
export function endedForMemory(): number {
  return Number(/^oom_kill (\d+)$/m.exec(readSystemFile("/proc/vmstat"))?.[1] ?? 0);
}

/** Reads the page size from the auxiliary vector, a list of pairs of numbers. */
function pageBytes(): number {
  if (page === undefined) {
    const vector = Buffer.from(readSystemFile("/proc/self/auxv"), "latin1");
    const pairs = Array.from({ length: vector.length / 16 }, (_, index) => vector.subarray(16 * index));
    const pair = pairs.find((pair) => pair.readBigUInt64LE(0) === pageSizeKind);
    page = pair === undefined ? 4096 : Number(pair.readBigUInt64LE(8));
  }
  return page;
}

let page: number | undefined;
const pageSizeKind = 6n;

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
