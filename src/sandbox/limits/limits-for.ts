import { statfsSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import type { Confinement, ResourceLimits } from "../../contract/confinement.ts";
import { attempt } from "../../system/attempt.ts";
import { readSystemFile } from "../../system/process-identity.ts";

/** Returns the limits of one command with all its processes: the defaults, unless rules set others. */
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

/** Returns limits that no build reaches, and that a runaway command reaches before the machine suffers. */
function usualLimits(): Omit<ResourceLimits, "fileBytes"> {
  usual ??= {
    // A forgotten background process may keep every core busy for an hour, or one for a day.
    cpuSeconds: Math.max(24, availableParallelism()) * 3600,
    // A quarter of the memory stays for Toolcrib and the user. Only resident memory counts, because Node, Java and
    // sanitizers reserve far more than any machine has.
    memoryBytes: Math.floor((0.75 * memoryHere()) / gigabyte) * gigabyte || 0.75 * memoryHere(),
    // Threads count too: Java virtual machines have hundreds, browsers 600 per core. A fork bomb reaches the limit
    // within a second.
    processes: Math.min(Math.max(4096, 1024 * availableParallelism()), numbersHere() / 2),
    // An endless output reaches the limit within half a minute, and the log of a server only after months.
    outputBytes: 10 * gigabyte,
  };
  return usual;
}

let usual: Omit<ResourceLimits, "fileBytes"> | undefined;

/** Returns half of the free disk space, so that an endless file cannot fill it, but at least 10 GB for builds. */
function usualFileBytes(workspace: string): number {
  const { bavail, bsize } = attempt(() => statfsSync(workspace)) ?? { bavail: 0, bsize: 0 };
  return Math.max(10, Math.floor((bavail * bsize) / 2 / gigabyte)) * gigabyte;
}

/** Returns the memory of this machine or container. */
function memoryHere(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** Returns the number of processes and threads that the system can have. */
function numbersHere(): number {
  return Number(readSystemFile("/proc/sys/kernel/pid_max")) || Infinity;
}
