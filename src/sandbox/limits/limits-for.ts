import { statfsSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import type { Confinement, ResourceLimits } from "../../contract/confinement.ts";
import { attempt } from "../../system/attempt.ts";
import { readSystemFile } from "../../system/process-identity.ts";

/** The limits of one command with all its processes: the defaults, unless rules set others. */
export function limitsFor(
  { limits = {}, limitsAtMost = {} }: Pick<Confinement, "limits" | "limitsAtMost">,
  workspace: string,
): ResourceLimits {
  const usual = { ...usualLimits(), fileBytes: usualFileBytes(workspace), ...limits };
  const names = Object.keys(limitsAtMost) as readonly (keyof ResourceLimits)[];
  const lower = names.map((name) => [name, Math.min(usual[name], limitsAtMost[name] ?? Infinity)]);
  return { ...usual, ...Object.fromEntries(lower) };
}

const gigabyte = 1024 ** 3;

/** No build reaches these limits, and a runaway command reaches them before the machine suffers. */
function usualLimits(): Omit<ResourceLimits, "fileBytes"> {
  usual ??= {
    // For forgotten background processes: every core busy for an hour, or one for a day.
    cpuSeconds: Math.max(24, availableParallelism()) * 3600,
    // Counts resident memory, because Node, Java and sanitizers reserve far more than any machine has. A quarter stays
    // for Toolcrib and the user.
    memoryBytes: Math.floor((0.75 * memoryHere()) / gigabyte) * gigabyte || 0.75 * memoryHere(),
    // Includes threads: `make -j64`, Java virtual machines with hundreds of threads, browsers with 600 threads per
    // core. A
    // fork bomb reaches the limit within a second.
    processes: Math.min(Math.max(4096, 1024 * availableParallelism()), numbersHere() / 2),
    // An endless output reaches the limit within half a minute, a server's log not for months.
    outputBytes: 10 * gigabyte,
  };
  return usual;
}

let usual: Omit<ResourceLimits, "fileBytes"> | undefined;

/** Half of the free disk space, so that an endless file cannot fill it. Builds create files below ten gigabytes. */
function usualFileBytes(workspace: string): number {
  const { bavail, bsize } = attempt(() => statfsSync(workspace)) ?? { bavail: 0, bsize: 0 };
  return Math.max(10, Math.floor((bavail * bsize) / 2 / gigabyte)) * gigabyte;
}

/** The memory of this machine or container. */
function memoryHere(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** The number of processes and threads that the system can have. */
function numbersHere(): number {
  return Number(readSystemFile("/proc/sys/kernel/pid_max")) || Infinity;
}
