import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import type { ProcessInfo } from "../../../system/process-identity.ts";

/**
 * Whether one of these processes sleeps until it gets input: from a terminal, or from the leader's standard input.
 * Undefined when the system does not show what a process sleeps in.
 */
export function waitsForInput(members: readonly ProcessInfo[], leader: number): boolean | undefined {
  const given = linkOf(leader, 0);
  const isInput = (link: string) => isTerminal(link) || (isChannel(link) && link === given);
  const sleeps = members.map(({ pid }) => sleepOf(pid)).filter((sleep) => sleep !== undefined);
  if (sleeps.length === 0) return undefined;
  return sleeps.some(({ links, manyAtOnce }) => {
    const others = links.filter((link) => !isInput(link));
    // An event loop always watches something; only another's connection is worth waiting for as well.
    return others.length < links.length && !others.some((link) => !manyAtOnce || link.startsWith("socket:"));
  });
}

interface Sleep {
  /** The input that it waits for, as /proc names its descriptors; undefined when it does not wait for input. */
  readonly links: readonly string[];
  readonly manyAtOnce: boolean;
}

function sleepOf(pid: number): Sleep | undefined {
  const awake = { links: [], manyAtOnce: false };
  const calls = systemCalls[process.arch];
  // "running", or the number of the system call and its arguments.
  const text = quietly(() => readFileSync(`/proc/${pid}/syscall`, "latin1"));
  if (calls === undefined || text === undefined) return undefined;
  const [number, first, second] = text.split(" ");
  const wait = calls[Number(number)];
  if (wait === undefined || first === undefined || second === undefined) return awake;
  const descriptors = quietly(() => descriptorsOf[wait](pid, Number(first), Number(second))) ?? [];
  const links = descriptors.map((descriptor) => linkOf(pid, descriptor)).filter((link) => link !== undefined);
  return { links, manyAtOnce: wait === "epoll" };
}

type Wait = "read" | "poll" | "select" | "epoll";

const systemCalls: Partial<Record<NodeJS.Architecture, Readonly<Record<number, Wait>>>> = {
  x64: {
    0: "read",
    19: "read",
    7: "poll",
    271: "poll",
    23: "select",
    270: "select",
    232: "epoll",
    281: "epoll",
  },
  arm64: { 63: "read", 65: "read", 73: "poll", 72: "select", 22: "epoll" },
};

/** Which descriptors a call waits for, from its first two arguments. */
const descriptorsOf: Readonly<
  Record<Wait, (pid: number, first: number, second: number) => readonly number[]>
> = {
  read: (_, descriptor) => [descriptor],
  poll: (pid, address, count) => {
    const entries = memoryOf(pid, address, 8 * Math.min(count, maxDescriptors));
    return range(entries.length / 8)
      .filter((index) => (entries.readInt16LE(8 * index + 4) & readable) !== 0)
      .map((index) => entries.readInt32LE(8 * index));
  },
  select: (pid, count, address) => {
    if (address === 0) return [];
    const bits = memoryOf(pid, address, Math.ceil(Math.min(count, maxDescriptors) / 8));
    return range(Math.min(count, maxDescriptors)).filter((bit) => bits[bit >> 3]! & (1 << (bit & 7)));
  },
  epoll: (pid, descriptor) =>
    [...readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, "latin1").matchAll(/^tfd:\s+(\d+)/gm)].map(
      ([, watched]) => Number(watched),
    ),
};

const maxDescriptors = 1024;
const readable = 1;

function memoryOf(pid: number, address: number, length: number): Buffer {
  const memory = openSync(`/proc/${pid}/mem`, "r");
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(memory, bytes, 0, length, address));
  } finally {
    closeSync(memory);
  }
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function linkOf(pid: number, descriptor: number): string | undefined {
  return quietly(() => readlinkSync(`/proc/${pid}/fd/${descriptor}`));
}

function isTerminal(link: string): boolean {
  return link.startsWith("/dev/pts/") || link.startsWith("/dev/tty");
}

function isChannel(link: string): boolean {
  return link.startsWith("pipe:") || link.startsWith("socket:");
}

function quietly<Result>(act: () => Result): Result | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** Whether one of these processes, which share this network, listens on a TCP port; undefined when that is unknown. */
export async function listensOn(port: number, pids: () => Iterable<number>): Promise<boolean | undefined> {
  const tables = await Promise.all(["tcp", "tcp6"].map((name) => textOf(`/proc/self/net/${name}`)));
  if (tables.every((table) => table === undefined)) return undefined;
  const sockets = new Set(tables.flatMap((table = "") => listenersOn(table, port)));
  if (sockets.size === 0) return false;
  for (const pid of pids()) if (await holdsOne(pid, sockets)) return true;
  return false;
}

/** Sockets of the lines of /proc/net/tcp that say LISTEN, as descriptors name them. */
function listenersOn(table: string, port: number): readonly string[] {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return table
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, address = "", , state]) => state === listening && address.endsWith(local))
    .map((fields) => `socket:[${fields[9]}]`);
}

const listening = "0A";

async function holdsOne(pid: number, sockets: ReadonlySet<string>): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  const targets = await Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => "")));
  return targets.some((target) => sockets.has(target));
}

function textOf(path: string): Promise<string | undefined> {
  return readFile(path, "latin1").catch(() => undefined);
}

/**
 * Descriptors from `first` on that the parent of this process left open for every program that it starts: a directory
 * among them would lead out of any sandbox. Node opens none of its own that way, so they are looked for once.
 */
export function leakedDescriptors(first: number): readonly number[] {
  leaked ??= findLeaked();
  return leaked.filter((descriptor) => descriptor >= first);
}

let leaked: readonly number[] | undefined;

/** Replaces each of them by a useless one. Opened for one start, and closed after it. */
export function nothingToInherit(): number {
  return openSync("/dev/null", "r");
}

const closesOnExec = 0o2000000;

function findLeaked(): readonly number[] {
  try {
    return readdirSync("/proc/self/fd")
      .map(Number)
      .filter((descriptor) => descriptor > 2 && isInherited(descriptor));
  } catch {
    // Unknown on other systems than Linux.
    return [];
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closesOnExec) === 0;
  } catch {
    // Closed meanwhile: it was the one that read the list.
    return false;
  }
}
