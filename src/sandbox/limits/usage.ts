import { readlinkSync, statfsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { attempt, attemptQuietly } from "../../system/attempt.ts";
import { namesIfReadable } from "../../system/directories.ts";
import { type MountTableEntry, readMountTable } from "../../system/mount-table.ts";
import { type ProcessInfo, readSystemFile } from "../../system/process-identity.ts";

/** The usage of a command with all its processes. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  /** The number of processes, including threads and ended processes that were not awaited. */
  readonly processes: number;
}

/**
 * Measures the processes `members` of a command. `all` are all processes of the machine, `files` the bytes of files in
 * memory. The memory is exact only above `enough`.
 */
export async function usageOf(
  members: readonly ProcessInfo[],
  options: { readonly all: readonly ProcessInfo[]; readonly files: number; readonly enough: number },
): Promise<Usage> {
  const { all, files, enough } = options;
  const parents = new Set(members.map(({ pid }) => pid));
  const unawaited = all.filter(({ isOver, parent }) => isOver && parents.has(parent));
  const atMost = files + sum(members.map(({ residentPages }) => residentPages * pageBytes()));
  return {
    cpuSeconds: sum(members.map(({ cpuTicks }) => cpuTicks)) / ticksPerSecond,
    memoryBytes: atMost <= enough ? atMost : await exactMemory(members, files),
    processes: sum(members.map(({ threads }) => threads)) + unawaited.length,
  };
}

// This is the unit of /proc, independent of the kernel's own unit.
const ticksPerSecond = 100;

/** Measures memory with shared pages counted once, because workers forked from one large process share most pages. */
async function exactMemory(members: readonly ProcessInfo[], files: number): Promise<number> {
  let bytes = 0;
  let ofFiles = 0;
  for (const { pid } of members) {
    const text = await readFile(`/proc/${pid}/smaps_rollup`, "latin1").catch(() => "");
    const [all, shared] = ["Pss", "Pss_Shmem"].map((name) => kilobytesOf(text, name));
    bytes += all === undefined ? unsharedBytes(pid) : (all - (shared ?? 0)) * 1024;
    ofFiles += (shared ?? 0) * 1024;
  }
  // The larger number counts, because most memory files that processes map are part of `files`.
  return bytes + Math.max(ofFiles, files);
}

function kilobytesOf(text: string, name: string): number | undefined {
  const [, kilobytes] = new RegExp(`^${name}: +(\\d+) kB$`, "m").exec(text) ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes);
}

/** Returns the memory without file pages of a process that cannot be inspected; 0 when it has ended. */
function unsharedBytes(pid: number): number {
  const [, resident = 0, shared = 0] = readSystemFile(`/proc/${pid}/statm`).split(" ").map(Number);
  return (resident - shared) * pageBytes();
}

/** Totals of the machine, which show cheaply that no usage has grown. */
export interface MachineUse {
  readonly tasks: number;
  readonly freeBytes: number;
  /** Bytes of files in memory, with or without names. */
  readonly fileBytes: number;
}

export function machineUse(): MachineUse {
  const [, tasks] = /\/(\d+) /.exec(readSystemFile("/proc/loadavg")) ?? [];
  const memory = readSystemFile("/proc/meminfo");
  const [free = 0, files = 0] = ["MemAvailable", "Shmem"].map((name) => kilobytesOf(memory, name));
  return { tasks: Number(tasks ?? 0), freeBytes: free * 1024, fileBytes: files * 1024 };
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

/**
 * Counts the bytes of files in memory that belong only to this command, for example in the /dev/shm of its sandbox.
 * With `nameless`, files without a name count too, but finding them is expensive.
 */
export function memoryFileBytes(
  members: readonly ProcessInfo[],
  { nameless }: { readonly nameless: boolean },
): number {
  // The process that was started last is inside the sandbox.
  const pid = members.at(-1)?.pid ?? 0;
  const named = mountsOnlyOf(pid).map((mount) => bytesIn(mount, `/proc/${pid}/root`));
  return sum(named) + (nameless ? namelessBytes(members) : 0);
}

/** Returns the mounts in memory that only this process sees. They are not cached: the sandbox may still be mounting. */
function mountsOnlyOf(pid: number): readonly MountTableEntry[] {
  const own = new Set(memoryMountsOf("self").map(({ device }) => device));
  return memoryMountsOf(pid).filter(({ device }) => !own.has(device));
}

/** Returns the writable in-memory file systems that a process sees. */
function memoryMountsOf(pid: number | "self"): readonly MountTableEntry[] {
  return readMountTable(readSystemFile(`/proc/${pid}/mountinfo`, "utf8")).filter(
    ({ type, options }) => type === "tmpfs" && options.includes("rw"),
  );
}

/** Returns a device number as `stat` returns it. */
function deviceNumber(device: string): number {
  const [major = 0, minor = 0] = device.split(":").map(Number);
  return (minor & 0xff) + (major & 0xfff) * 2 ** 8 + (minor >>> 8) * 2 ** 20;
}

function bytesIn({ device, point }: MountTableEntry, root: string): number {
  // A mount that covers this one must not be counted instead.
  if (attempt(() => statSync(root + point).dev) !== deviceNumber(device)) return 0;
  const { blocks, bfree, bsize } = attempt(() => statfsSync(root + point)) ?? {
    blocks: 0,
    bfree: 0,
    bsize: 0,
  };
  return (blocks - bfree) * bsize;
}

/** Counts the bytes of open memory files, each once, even if many processes have it open. */
function namelessBytes(members: readonly ProcessInfo[]): number {
  const sizes = new Map<number, number>();
  for (const { pid } of members) {
    const names = attemptQuietly(() => namesIfReadable(`/proc/${pid}/fd`)) ?? [];
    for (const path of names.map((name) => `/proc/${pid}/fd/${name}`)) {
      try {
        if (!readlinkSync(path).startsWith("/memfd:")) continue;
        const { ino, blocks } = statSync(path);
        sizes.set(ino, blocks * blockBytes);
      } catch {
        // The descriptor was closed meanwhile.
      }
    }
  }
  return sum([...sizes.values()]);
}

const blockBytes = 512;
