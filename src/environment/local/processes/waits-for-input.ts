import { closeSync, openSync, readFileSync, readlinkSync, readSync } from "node:fs";
import type { Life } from "../../../system/process-owner.ts";

/**
 * Whether one of these sleeps until somebody gives it input: by a terminal, or by what the leader was given to read.
 * Undefined where the system does not tell what a process sleeps in.
 */
export function waitsForInput(members: readonly Life[], leader: number): boolean | undefined {
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
  /** What it waits for, as its descriptors are called in /proc; nothing when it is no input that it waits for. */
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
