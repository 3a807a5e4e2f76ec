import { closeSync, existsSync, openSync, readFileSync, readlinkSync, readSync } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import { attempt, attemptQuietly } from "../../../system/attempt.ts";
import { namesIfReadable } from "../../../system/directories.ts";
import type { ProcessInfo } from "../../../system/process-identity.ts";

/** The descriptors of a command, as /proc names them. */
export interface CommandStreams {
  readonly input?: string | undefined;
  readonly outputs: readonly (string | undefined)[];
}

export function streamsOf(leader: number): CommandStreams {
  return { input: linkOf(leader, 0), outputs: [linkOf(leader, 1), linkOf(leader, 2)] };
}

/**
 * Whether one of these processes waits for input from a terminal or the command's stdin; undefined when unknown. Editors
 * read from stderr when stdin is not a terminal.
 */
export function waitsForInput(
  members: readonly Pick<ProcessInfo, "pid">[],
  { input, outputs }: CommandStreams,
): boolean | undefined {
  const isInput = (link: string, manyAtOnce: boolean) =>
    /^\/dev\/(?:pts\/|tty)/.test(link) ||
    (/^(?:pipe|socket):/.test(link) && link === input) ||
    (!manyAtOnce && link !== "/dev/null" && outputs.includes(link));
  const sleeps = members.map(({ pid }) => sleepOf(pid)).filter((sleep) => sleep !== undefined);
  if (sleeps.length === 0) return undefined;
  return sleeps.some(({ links, manyAtOnce }) => {
    const others = links.filter((link) => !isInput(link, manyAtOnce));
    // An event loop waits for several things. Of these, only a connection to another process counts as other work.
    return others.length < links.length && !others.some((link) => !manyAtOnce || link.startsWith("socket:"));
  });
}

interface Sleep {
  /** The descriptors that the process waits for, as /proc names them. */
  readonly links: readonly string[];
  readonly manyAtOnce: boolean;
}

function sleepOf(pid: number): Sleep | undefined {
  const awake = { links: [], manyAtOnce: false };
  const calls = systemCalls[process.arch];
  // The text is "running", or the number of the system call and its arguments.
  const text = attemptQuietly(() => readFileSync(`/proc/${pid}/syscall`, "latin1"));
  if (calls === undefined || text === undefined) return undefined;
  const [number, first, second] = text.split(" ");
  const waits = Object.keys(calls) as readonly Wait[];
  const wait = waits.find((kind) => calls[kind].includes(Number(number)));
  if (wait === undefined || first === undefined || second === undefined) return awake;
  const descriptors = attemptQuietly(() => descriptorsOf[wait](pid, Number(first), Number(second))) ?? [];
  const links = descriptors.map((descriptor) => linkOf(pid, descriptor)).filter((link) => link !== undefined);
  return { links, manyAtOnce: wait === "epoll" };
}

type Wait = "read" | "poll" | "select" | "epoll";

const systemCalls: Partial<Record<NodeJS.Architecture, Readonly<Record<Wait, readonly number[]>>>> = {
  x64: { read: [0, 19], poll: [7, 271], select: [23, 270], epoll: [232, 281] },
  arm64: { read: [63, 65], poll: [73], select: [72], epoll: [22] },
};

/** Returns the descriptors that a call waits for, from its first two arguments. */
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
  return attempt(() => readlinkSync(`/proc/${pid}/fd/${descriptor}`));
}

/**
 * Whether one of these processes listens on a TCP port, and not only another one of the same network; undefined when unknown.
 * `network`: the network of this process, by its id. Default: the one of this process.
 */
export async function listensOn(
  port: number,
  pids: () => Iterable<number>,
  network: number | "self" = "self",
): Promise<boolean | undefined> {
  const read = (name: string) => readFile(`/proc/${network}/net/${name}`, "latin1").catch(() => undefined);
  const tables = await Promise.all(["tcp", "tcp6"].map(read));
  // A process that has ended has no network.
  if (tables.every((table) => table === undefined))
    return existsSync("/proc/self/net/tcp") ? false : undefined;
  const sockets = new Set(tables.flatMap((table = "") => listenersOn(table, port)));
  if (sockets.size === 0) return false;
  for (const pid of pids()) if (await holdsOne(pid, sockets)) return true;
  return false;
}

/** Returns the sockets in /proc/net/tcp that listen on a port, as descriptors name them. */
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

/**
 * Returns the descriptors from `first` on that the parent of this process left open for all its programs. A directory
 * among them would lead out of any sandbox. They are searched once, because Node opens none that way. Outside Linux
 * they are unknown.
 */
export function leakedDescriptors(first: number): readonly number[] {
  leaked ??= namesIfReadable("/proc/self/fd")
    .map(Number)
    .filter((descriptor) => descriptor > 2 && isInherited(descriptor));
  return leaked.filter((descriptor) => descriptor >= first);
}

let leaked: readonly number[] | undefined;

const closesOnExec = 0o2000000;

/** Whether programs inherit a descriptor. The one that read the list is already closed. */
function isInherited(descriptor: number): boolean {
  const text = attempt(() => readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1")) ?? "";
  const flags = /^flags:\s+([0-7]+)/m.exec(text)?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & closesOnExec) === 0;
}
